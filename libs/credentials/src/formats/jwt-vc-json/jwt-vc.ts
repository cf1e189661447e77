import { type DecodedJws, decodeJws, parsePublicJwk, type PublicJwk } from '@app/primitives/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';
import { type JwtTimes, readDateTime, readTimes } from '../../jwt-times';
import { demand } from '../../presentation-check';

/** A `jwt_vc_json` credential that was read, not verified. */
export type JwtVc = {
  readonly format: 'jwt_vc_json';
  readonly jws: DecodedJws;
  readonly issuer: string;
  readonly types: readonly string[];
  /** The `vc` object, completed by what the registered claims say instead (VCDM 1.1 §6.3.1). */
  readonly claims: JsonObject;
  readonly times: JwtTimes;
  /** To whom it was issued, when it says so. */
  readonly subject?: string;
  readonly confirmationKey?: PublicJwk;
  readonly status?: JsonValue;
  readonly credentialStatus?: JsonValue;
};

const CONTEXT_V1 = 'https://www.w3.org/2018/credentials/v1';
const CONTEXT_V2 = 'https://www.w3.org/ns/credentials/v2';

/**
 * Decodes a JWT VC (VCDM 1.1 §6.3.1) strictly: where a registered claim and a member of `vc` mean the same they
 * must agree. Credentials of VCDM 2.0 have other formats and are refused. Throws `Refusal`, `JwsError` or
 * `PublicJwkError`.
 */
export function readJwtVc(token: string, maxLength: number): JwtVc {
  const jws = decodeJws(token, { maxLength });
  const { header, payload } = jws;
  demand(header['typ'] === undefined || header['typ'] === 'JWT', 'the typ of the credential is not JWT');
  demand(!Object.hasOwn(payload, 'vp'), 'a presentation was sent in place of a credential');
  const isVersion2 = Object.hasOwn(payload, '@context') || firstContext(payload['vc']) === CONTEXT_V2;
  demand(!isVersion2, 'the credential follows VCDM 2.0, which is another format than jwt_vc_json');
  const vc = payload['vc'];
  demand(isJsonObject(vc), 'the credential has no vc object');
  demand(firstContext(vc) === CONTEXT_V1, 'the first context of the credential is not that of VCDM 1.1');
  const types = readStrings(vc['type']);
  demand(types?.includes('VerifiableCredential') === true, 'the types of the credential lack VerifiableCredential');
  const claimedSubject = vc['credentialSubject'];
  demand(isJsonObject(claimedSubject), 'the credential does not have exactly one credentialSubject');

  const issuer = agree('issuer', payload['iss'], isJsonObject(vc['issuer']) ? vc['issuer']['id'] : vc['issuer']);
  demand(issuer !== undefined, 'the credential does not name its issuer');
  const id = agree('id', payload['jti'], vc['id']);
  const subject = agree('subject', payload['sub'], claimedSubject['id']);
  const { status, cnf } = payload;
  return {
    format: 'jwt_vc_json',
    jws,
    issuer,
    types,
    claims: plainCopy({
      ...vc,
      issuer: vc['issuer'] ?? issuer,
      credentialSubject: { ...(subject !== undefined && { id: subject }), ...claimedSubject },
      ...(id !== undefined && { id }),
    }) as JsonObject,
    times: readJwtVcTimes(payload, vc),
    ...(subject !== undefined && { subject }),
    ...(isJsonObject(cnf) && cnf['jwk'] !== undefined && { confirmationKey: parsePublicJwk(cnf['jwk']) }),
    ...(status !== undefined && { status }),
    ...(vc['credentialStatus'] !== undefined && { credentialStatus: vc['credentialStatus'] }),
  };
}

/** Returns the value that is given twice; both must agree. */
function agree(what: string, claim: JsonValue | undefined, member: JsonValue | undefined): string | undefined {
  const value = claim ?? member;
  if (value === undefined) return undefined;
  demand(typeof value === 'string', `the ${what} of the credential is not a string`);
  demand(member === undefined || member === value, `the ${what} of the credential is not the same in JWT and vc`);
  return value;
}

/** nbf is issuanceDate and exp is expirationDate, to the second. */
function readJwtVcTimes(payload: JsonObject, vc: JsonObject): JwtTimes {
  const times = readTimes(payload);
  const issuance = readDateTime(vc['issuanceDate']);
  const expiration = readDateTime(vc['expirationDate']);
  demand(sameSecond(times.nbf, issuance), 'nbf differs from issuanceDate');
  demand(sameSecond(times.exp, expiration), 'exp differs from expirationDate');
  const nbf = times.nbf ?? issuance;
  demand(nbf !== undefined, 'the credential has neither nbf nor issuanceDate');
  const exp = times.exp ?? expiration;
  return { nbf, iat: times.iat ?? nbf, ...(exp !== undefined && { exp }) };
}

function sameSecond(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || Math.floor(one) === Math.floor(other);
}

function firstContext(vc: JsonValue | undefined): JsonValue | undefined {
  const context = isJsonObject(vc) ? vc['@context'] : undefined;
  return Array.isArray(context) ? context[0] : context;
}

function readStrings(value: JsonValue | undefined): readonly string[] | undefined {
  const list = typeof value === 'string' ? [value] : value;
  return Array.isArray(list) && list.every((entry) => typeof entry === 'string') ? list : undefined;
}

/** Copies claims into objects without a prototype. The depth is bounded by `parseStrictJson`. */
function plainCopy(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy);
  const copy = Object.create(null) as JsonObject;
  for (const [name, member] of Object.entries(value)) {
    demand(name !== '__proto__', 'a claim has a reserved name');
    copy[name] = plainCopy(member);
  }
  return copy;
}
