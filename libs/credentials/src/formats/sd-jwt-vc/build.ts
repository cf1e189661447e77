import type { SignJws } from '@app/primitives/jose';
import { escapePointer, type JsonObject, type JsonValue } from '@app/primitives/json';
import { Jwt, pack, SDJwt } from '@sd-jwt/core';
import { hash, randomFillSync } from 'node:crypto';
import { assertExpiry, assertIssuableClaims, ClaimsError, numericDate } from '../../presentation/claims';
import { type DisclosureTree, disclosureTree, isAlwaysVisible } from './disclosure-pointers';
import type { StatusListReference } from '../../status/status-list';
import type { Holder } from '../../key-proof/key-proof';

/**
 * JSON Pointers (RFC 6901) into the claims, or every top-level claim. A pointer to a claim that a credential does not
 * have is ignored; a pointer inside a disclosed claim makes nested disclosures; an array index names one element.
 */
export type SelectivelyDisclosable = 'top-level' | readonly string[];

export type SdJwtVcInput = {
  readonly vct: string;
  readonly issuer: string;
  readonly claims: JsonObject;
  readonly selectivelyDisclosable: SelectivelyDisclosable;
  /** Absent for a credential that is not bound to a key. */
  readonly holder?: Holder;
  readonly issuedAt: Date;
  readonly expiresAt?: Date;
  readonly status?: StatusListReference;
  /** `vc+sd-jwt` for wallets that asked for the format by that name. */
  readonly typ: 'dc+sd-jwt' | 'vc+sd-jwt';
  readonly sign: SignJws;
  /** Further members of the payload that are always visible, such as `sub`, `nbf`, `vct#integrity`. */
  readonly extraPayload?: JsonObject;
};

const SALT_BYTES = 16; // RFC 9901 §9.3: at least 128 bits
const SALTS_PER_DRAW = 256;

/** The members or indices that the library conceals in an object or array, in `_sd`, and what it conceals inside others. */
type DisclosureFrame = {
  _sd?: (string | number)[];
  [member: string]: DisclosureFrame | (string | number)[] | undefined;
};
type FrameOfLibrary = Parameters<typeof pack<JsonObject>>[1];

/**
 * Builds and signs an SD-JWT VC for issuance (RFC 9901): `<JWT>~<disclosure>~...~`. The library `@sd-jwt/core` conceals the
 * claims, after what it cannot build has been refused. Rejects with `ClaimsError`.
 */
export async function buildSdJwtVc(input: SdJwtVcInput): Promise<string> {
  const { claims, sign, typ } = input;
  const concealed = concealedIn(input);
  assertExpiry(input.issuedAt, input.expiresAt);
  const payload: JsonObject = {
    ...input.extraPayload,
    iss: input.issuer,
    vct: input.vct,
    iat: numericDate(input.issuedAt),
    ...(input.expiresAt && { exp: numericDate(input.expiresAt) }),
    ...(input.holder && { cnf: confirmation(input.holder) }),
    ...(input.status && { status: { status_list: { ...input.status } } }),
    ...claims,
  };
  const { packedClaims, disclosures } = await pack(payload, concealed as FrameOfLibrary, digests, salt);
  const signed = { ...(packedClaims as JsonObject), ...(disclosures.length > 0 && { _sd_alg: digests.alg }) };
  return new SDJwt({ jwt: new Jwt({ encoded: await sign({ typ }, signed) }), disclosures }).encodeSDJwt();
}

/** Refuses claims that no SD-JWT VC can have or withhold, without building it. Throws `ClaimsError`. */
export function assertSdJwtVcClaims(
  input: Pick<SdJwtVcInput, 'claims' | 'selectivelyDisclosable' | 'extraPayload'>,
): void {
  concealedIn(input);
}

function concealedIn({
  claims,
  selectivelyDisclosable: pointers,
  extraPayload,
}: Parameters<typeof assertSdJwtVcClaims>[0]): DisclosureFrame | undefined {
  assertIssuableClaims(claims);
  for (const name of Object.keys(claims)) {
    if (isAlwaysVisible(name) || name === 'iat' || (extraPayload && Object.hasOwn(extraPayload, name))) {
      throw new ClaimsError('reserved-name', `/${name}`, 'this member of the credential is not a claim of its subject');
    }
  }
  return frameOf(claims, pointers === 'top-level' ? topLevel(claims) : disclosureTree(pointers));
}

/** RFC 7800; the key id helps wallets that proved possession by DID URL. */
function confirmation({ jwk, keyId }: Holder): JsonObject {
  return { jwk: { ...jwk }, ...(keyId !== undefined && { kid: keyId }) };
}

function topLevel(claims: JsonObject): DisclosureTree {
  return new Map(Object.keys(claims).map((name) => [name, { disclosed: true, inside: new Map() }]));
}

/** What a tree of places names of a value that has them; undefined when that is nothing. */
function frameOf(value: JsonValue, tree: DisclosureTree, at = ''): DisclosureFrame | undefined {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return undefined;
  const concealed: (string | number)[] = [];
  const inside = new Map<string, DisclosureFrame | undefined>();
  for (const [name, member] of Object.entries<JsonValue>(value)) {
    const place = tree.get(name);
    const pointer = `${at}/${escapePointer(name)}`;
    const frame = place && frameOf(member, place.inside, pointer);
    // The library would take what every object inherits under the name for the member.
    if (frame || name in Object.prototype) inside.set(name, frame);
    // It would write the disclosure of an array element, or count decoys.
    if ((place?.disclosed && name === '') || (frame && name === '_sd_decoy')) {
      throw new ClaimsError('unsafe-name', pointer, 'nothing of a claim of this name can be selectively disclosable');
    }
    if (!place?.disclosed) continue;
    concealed.push(Array.isArray(value) ? Number(name) : name);
  }
  const isEmpty = concealed.length === 0 && [...inside.values()].every((frame) => frame === undefined);
  return isEmpty ? undefined : { ...Object.fromEntries(inside), _sd: concealed };
}

const digests = { alg: 'sha-256', hasher: (data: string | ArrayBuffer) => hash('sha256', data as string, 'buffer') };

// Salts are drawn many at a time: one call of the random generator costs more than a digest. None is used twice.
const pool = Buffer.alloc(SALT_BYTES * SALTS_PER_DRAW);
let used = pool.length;

function salt(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += SALT_BYTES;
  return pool.toString('base64url', used - SALT_BYTES, used);
}
