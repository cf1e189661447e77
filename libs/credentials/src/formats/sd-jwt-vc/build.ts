import type { SignJws } from '@app/primitives/jose';
import { escapePointer, type JsonObject, type JsonValue } from '@app/primitives/json';
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

/** Builds and signs an SD-JWT VC for issuance (RFC 9901): `<JWT>~<disclosure>~...~`. Rejects with `ClaimsError`. */
export async function buildSdJwtVc(input: SdJwtVcInput): Promise<string> {
  const { sign, typ } = input;
  const disclosures: string[] = [];
  const claims = concealedIn(input, (content) => {
    const disclosure = Buffer.from(JSON.stringify([salt(), ...content])).toString('base64url');
    disclosures.push(disclosure);
    return hash('sha256', disclosure, 'base64url');
  });
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
    ...(disclosures.length > 0 && { _sd_alg: 'sha-256' }),
  };
  return [await sign({ typ }, payload), ...disclosures, ''].join('~');
}

/** Refuses claims that no SD-JWT VC can have or withhold, without building it. Throws `ClaimsError`. */
export function assertSdJwtVcClaims(
  input: Pick<SdJwtVcInput, 'claims' | 'selectivelyDisclosable' | 'extraPayload'>,
): void {
  concealedIn(input, () => '');
}

/** Makes the disclosure of an element, or of a member with its name. @returns its digest */
type Disclose = (content: readonly JsonValue[]) => string;

function concealedIn(
  { claims, selectivelyDisclosable: pointers, extraPayload }: Parameters<typeof assertSdJwtVcClaims>[0],
  disclose: Disclose,
): JsonObject {
  assertIssuableClaims(claims);
  for (const name of Object.keys(claims)) {
    if (isAlwaysVisible(name) || name === 'iat' || (extraPayload && Object.hasOwn(extraPayload, name))) {
      throw new ClaimsError('reserved-name', `/${name}`, 'this member of the credential is not a claim of its subject');
    }
  }
  return concealMembers(claims, pointers === 'top-level' ? topLevel(claims) : disclosureTree(pointers), disclose);
}

/** RFC 7800; the key id helps wallets that proved possession by DID URL. */
function confirmation({ jwk, keyId }: Holder): JsonObject {
  return { jwk: { ...jwk }, ...(keyId !== undefined && { kid: keyId }) };
}

function topLevel(claims: JsonObject): DisclosureTree {
  return new Map(Object.keys(claims).map((name) => [name, { disclosed: true, inside: new Map() }]));
}

/** The object with digests in place of the members that the tree names. What is inside of others is disclosed first. */
function concealMembers(value: JsonObject, tree: DisclosureTree, disclose: Disclose, at = ''): JsonObject {
  const open: [string, JsonValue][] = [];
  const digests: string[] = [];
  for (const { name, member, isDisclosed } of concealInside(value, tree, disclose, at)) {
    if (isDisclosed) digests.push(disclose([name, member]));
    else open.push([name, member]);
  }
  // Sorted, they do not show the order of the claims.
  return { ...Object.fromEntries(open), ...(digests.length > 0 && { _sd: digests.sort() }) };
}

function conceal(value: JsonValue, tree: DisclosureTree, disclose: Disclose, at: string): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return concealMembers(value, tree, disclose, at);
  return concealInside(value, tree, disclose, at).map(({ member, isDisclosed }) =>
    isDisclosed ? { '...': disclose([member]) } : member,
  );
}

interface Place {
  readonly name: string;
  readonly member: JsonValue;
  readonly isDisclosed: boolean;
}

function concealInside(value: object, tree: DisclosureTree, disclose: Disclose, at: string): Place[] {
  return Object.entries<JsonValue>(value as JsonObject).map(([name, member]) => {
    const place = tree.get(name);
    if (place === undefined) return { name, member, isDisclosed: false };
    const pointer = `${at}/${escapePointer(name)}`;
    // Wallets take the disclosure of a member without a name for that of an array element.
    if (place.disclosed && name === '') {
      throw new ClaimsError('unsafe-name', pointer, 'a claim without a name cannot be selectively disclosable');
    }
    return { name, member: conceal(member, place.inside, disclose, pointer), isDisclosed: place.disclosed };
  });
}

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
