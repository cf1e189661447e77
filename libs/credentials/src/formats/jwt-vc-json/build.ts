import type { SignJws } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { assertExpiry, assertIssuableClaims, ClaimsError, numericDate } from '../../presentation/claims';
import { didJwk } from '../../issuers/did';
import type { Holder } from '../../key-proof/key-proof';
import type { OwnStatusReference } from '../../status/status-list';

export type JwtVcJsonInput = {
  /** DID or https URL, alone or with what it is and a display name. */
  readonly issuer: string | { readonly id: string; readonly type?: string[]; readonly name?: string };
  /** `VerifiableCredential` is put in front when missing. */
  readonly types: readonly string[];
  /** Contexts after `https://www.w3.org/2018/credentials/v1`. */
  readonly contexts?: readonly string[];
  /** `credentialSubject`. An `id` in it is kept, independent of the holder. */
  readonly subjectClaims: JsonObject;
  /** Whether a subject without an `id` is the holder and gets the holder's DID. */
  readonly subject: 'holder' | 'thing';
  /** Absent for a bearer credential. */
  readonly holder?: Holder;
  /** Further members of `vc`, such as the `name` and `evidence` of an Open Badge. */
  readonly members?: JsonObject;
  /** A URI, for example `urn:uuid:...`. */
  readonly credentialId: string;
  readonly issuedAt: Date;
  readonly expiresAt?: Date;
  readonly status?: OwnStatusReference;
  readonly sign: SignJws;
};

const VC_CONTEXT = 'https://www.w3.org/2018/credentials/v1';
// The terms of `credentialStatus`, which VCDM 1.1 does not define (Bitstring Status List v1.0 §2.1).
const STATUS_CONTEXT = 'https://www.w3.org/ns/credentials/status/v1';
const VC_TYPE = 'VerifiableCredential';

/**
 * Builds and signs a `jwt_vc_json` credential: VCDM 1.1 §6.3.1, where iss, nbf, exp, jti and sub repeat their
 * counterparts in `vc` and are equal to them. Rejects with `ClaimsError`.
 */
export async function buildJwtVcJson(input: JwtVcJsonInput): Promise<string> {
  return input.sign({ typ: 'JWT' }, jwtVcJsonPayload(input));
}

/** What of it is signed. Throws `ClaimsError`. */
export function jwtVcJsonPayload(input: Omit<JwtVcJsonInput, 'sign'>): JsonObject {
  assertIssuableClaims(input.subjectClaims);
  if (input.members) assertIssuableClaims(input.members);
  assertExpiry(input.issuedAt, input.expiresAt);
  const { holder, issuer, credentialId, status } = input;
  const subject = subjectOf(input);
  const issuedAt = numericDate(input.issuedAt);
  const expiresAt = input.expiresAt && numericDate(input.expiresAt);
  const vc: JsonObject = {
    // First, so that nothing of what follows is replaced by it.
    ...input.members,
    '@context': withFirst(VC_CONTEXT, [...(input.contexts ?? []), ...(status ? [STATUS_CONTEXT] : [])]),
    id: credentialId,
    type: withFirst(VC_TYPE, input.types),
    issuer: typeof issuer === 'string' ? issuer : { ...issuer },
    issuanceDate: dateTime(issuedAt),
    ...(expiresAt !== undefined && { expirationDate: dateTime(expiresAt) }),
    ...(status && { credentialStatus: bitstringEntries(status) }),
    credentialSubject: { ...(subject !== undefined && { id: subject }), ...input.subjectClaims },
  };
  return {
    iss: typeof issuer === 'string' ? issuer : issuer.id,
    ...(subject !== undefined && { sub: subject }),
    jti: credentialId,
    nbf: issuedAt,
    // Older verifiers check iat and do not know nbf.
    iat: issuedAt,
    ...(expiresAt !== undefined && { exp: expiresAt }),
    // Where sub is not a DID that the holder has proved, the key itself is named (RFC 7800).
    ...(holder && (holder.did === undefined || holder.did !== subject) && { cnf: { jwk: { ...holder.jwk } } }),
    ...(status && { status: { status_list: { idx: status.idx, uri: status.uri } } }),
    vc,
  };
}

/** The same place for verifiers of W3C credentials, which read one list for each purpose. */
function bitstringEntries({ idx, bitstrings }: OwnStatusReference): JsonValue[] {
  return Object.entries(bitstrings).map(([statusPurpose, statusListCredential]) => ({
    id: `${statusListCredential}#${idx}`,
    type: 'BitstringStatusListEntry',
    statusPurpose,
    statusListIndex: String(idx),
    statusListCredential,
  }));
}

/** The `sub`. VCDM 1.1 §4.2: an `id` is a URI; that it is a string is all that the JWT needs. */
function subjectOf({ subjectClaims, subject, holder }: Omit<JwtVcJsonInput, 'sign'>): string | undefined {
  const { id } = subjectClaims;
  if (id !== undefined && typeof id !== 'string') {
    throw new ClaimsError('invalid-id', '/id', 'the id of the credential subject is not a string');
  }
  if (id !== undefined || subject === 'thing') return id;
  return holder && (holder.did ?? didJwk(holder.jwk));
}

function withFirst(first: string, others: readonly string[]): JsonValue[] {
  return [first, ...others.filter((other) => other !== first)];
}

/** RFC 3339 in whole seconds, so that it equals the corresponding NumericDate. */
function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
