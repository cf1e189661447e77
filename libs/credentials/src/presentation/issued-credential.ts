import { type DecodedJws, JWS_ALGORITHMS, JwsError, type PublicJwk, verifyJws } from '@app/primitives/jose';
import type { JsonValue } from '@app/primitives/json';
import type { CredentialFormatId } from '@app/openid4vc';
import { FetchPostponed } from '../issuers/fetch-postponed';
import type { IssuerKeys } from '../issuers/issuer-keys';
import { readTimes } from '../jwt-times';
import { demand, refusalReason } from '../presentation-check';

/** A credential as its issuer issues it, read and not verified. */
export type IssuedCredential = {
  readonly format: CredentialFormatId;
  readonly jws: DecodedJws;
  /** DID or URL, when it names one. */
  readonly issuer?: string;
  /** Of the person or thing that it describes, when it names one. */
  readonly subject?: string;
  /** Its `exp`, when it has one. */
  readonly expiresAt?: Date;
};

// RFC 7518 §3, RFC 8812 §3.2, RFC 8037 §3.1, RFC 9864 §2: at least and at most so many bytes. RSA from 2048 bits on.
type Lengths = readonly [least: number, most: number];
const rsa: Lengths = [256, 2048];
const signatureBytes: ReadonlyMap<JsonValue | undefined, Lengths> = new Map<JsonValue | undefined, Lengths>([
  ['ES256', [64, 64]],
  ['ES256K', [64, 64]],
  ['ES384', [96, 96]],
  ['ES512', [132, 132]],
  ['EdDSA', [64, 114]],
  ['Ed25519', [64, 64]],
  ['Ed448', [114, 114]],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((name) => [name, rsa] as const),
]);

/** The algorithm is asymmetric and the signature as long as the algorithm makes it. Throws `Refusal`. */
export function checkSignatureLength({ header, signature }: DecodedJws): void {
  const bytes = signatureBytes.get(header['alg']);
  demand(bytes !== undefined, 'the alg does not name an asymmetric signature, for example ES256 or EdDSA');
  const [least, most] = bytes;
  const fits = signature.length >= least && signature.length <= most;
  demand(fits, 'the signature does not have the length that its algorithm gives it');
}

/** Throws `Refusal`. */
export function issuedCredential(
  format: CredentialFormatId,
  jws: DecodedJws,
  { issuer, subject }: { readonly issuer: JsonValue | undefined; readonly subject: JsonValue | undefined },
): IssuedCredential {
  const { exp } = readTimes(jws.payload);
  return {
    format,
    jws,
    ...(typeof issuer === 'string' && { issuer }),
    ...(typeof subject === 'string' && { subject }),
    ...(exp !== undefined && { expiresAt: new Date(exp * 1000) }),
  };
}

/** The key that an issued credential names, when its issuer publishes it where it can be found. */
export async function findKeyOf(
  { issuer, jws }: IssuedCredential,
  issuers: Pick<IssuerKeys, 'find'>,
  now: Date,
): Promise<PublicJwk | undefined> {
  if (issuer === undefined) return undefined;
  try {
    return (await issuers.find(jws.header, issuer, now)).jwk;
  } catch (error) {
    if (refusalReason(error) === undefined && !(error instanceof FetchPostponed)) throw error;
    return undefined;
  }
}

/** Whether the key made the signature; `not-checked` when the algorithm or the key is none that this software knows. */
export function checkSignature({ jws }: IssuedCredential, key: PublicJwk): 'verified' | 'invalid' | 'not-checked' {
  try {
    verifyJws(jws, key, JWS_ALGORITHMS);
    return 'verified';
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    const isUnknown = error.reason === 'unsupported-algorithm' || error.reason === 'invalid-key';
    return isUnknown ? 'not-checked' : 'invalid';
  }
}
