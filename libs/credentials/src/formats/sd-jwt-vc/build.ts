import type { SignJws } from '@app/jose';
import type { JsonObject, JsonValue } from '@app/json';
import { hash, randomFillSync } from 'node:crypto';
import { assertExpiry, assertIssuableClaims, ClaimsError, numericDate } from '../../claims';
import { type DisclosureTree, disclosureTree, isAlwaysVisible } from './disclosure-pointers';
import type { StatusListReference } from '../../status-list';
import type { Holder } from '../../key-proof';

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

/** Builds and signs an SD-JWT VC for issuance (RFC 9901): `<JWT>~<disclosure>~...~`. Throws `ClaimsError`. */
export function buildSdJwtVc(input: SdJwtVcInput): string {
  assertIssuableClaims(input.claims);
  assertExpiry(input.issuedAt, input.expiresAt);
  const frame: JsonObject = {
    ...input.extraPayload,
    iss: input.issuer,
    vct: input.vct,
    iat: numericDate(input.issuedAt),
    ...(input.expiresAt && { exp: numericDate(input.expiresAt) }),
    ...(input.holder && { cnf: confirmation(input.holder) }),
    ...(input.status && { status: { status_list: { ...input.status } } }),
  };
  for (const name of Object.keys(input.claims)) {
    if (isAlwaysVisible(name) || Object.hasOwn(frame, name)) {
      throw new ClaimsError('reserved-name', `/${name}`, 'this member of the credential is not a claim of its subject');
    }
  }
  const pointers = input.selectivelyDisclosable;
  const tree = pointers === 'top-level' ? topLevel(input.claims) : disclosureTree(pointers);
  const disclosures: string[] = [];
  const payload = { ...frame, ...concealMembers(input.claims, tree, disclosures) };
  if (disclosures.length > 0) payload['_sd_alg'] = 'sha-256';
  // Without a key binding JWT the serialisation ends with a tilde, also when there is no disclosure.
  return [input.sign({ typ: input.typ }, payload), ...disclosures, ''].join('~');
}

/** RFC 7800; the key id helps wallets that proved possession by DID URL. */
function confirmation({ jwk, keyId }: Holder): JsonObject {
  return { jwk: { ...jwk }, ...(keyId !== undefined && { kid: keyId }) };
}

function topLevel(claims: JsonObject): DisclosureTree {
  return new Map(Object.keys(claims).map((name) => [name, { disclosed: true, inside: new Map() }]));
}

/** The object with its disclosed members replaced by digests under `_sd`; the disclosures are appended. */
function concealMembers(claims: JsonObject, tree: DisclosureTree, disclosures: string[]): JsonObject {
  const visible: JsonObject = {};
  const digests: string[] = [];
  for (const [name, claim] of Object.entries(claims)) {
    const place = tree.get(name);
    const value = place ? concealInside(claim, place.inside, disclosures) : claim;
    if (place?.disclosed) digests.push(disclose([name, value], disclosures));
    else visible[name] = value;
  }
  // RFC 9901 §4.2.4.1: the order of the digests must not reveal the order of the claims.
  if (digests.length > 0) visible['_sd'] = digests.sort();
  return visible;
}

function concealInside(claim: JsonValue, tree: DisclosureTree, disclosures: string[]): JsonValue {
  if (tree.size === 0 || typeof claim !== 'object' || claim === null) return claim;
  if (!Array.isArray(claim)) return concealMembers(claim, tree, disclosures);
  return claim.map((element, index) => {
    const place = tree.get(String(index));
    if (place === undefined) return element;
    const value = concealInside(element, place.inside, disclosures);
    return place.disclosed ? { '...': disclose([value], disclosures) } : value;
  });
}

/** Appends the disclosure of `[name, value]` or, for an array element, `[value]`; answers its digest. */
function disclose(content: readonly JsonValue[], disclosures: string[]): string {
  const disclosure = Buffer.from(JSON.stringify([salt(), ...content])).toString('base64url');
  disclosures.push(disclosure);
  return hash('sha256', disclosure, 'base64url');
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
