import type { DecodedJws } from '@app/jose';
import type { JsonValue } from '@app/json';
import type { CredentialFormatId } from '@app/openid4vc';
import { readTimes } from './jwt-times';
import { demand } from './presentation-check';

/** A credential as its issuer issues it, read and not verified. */
export type IssuedCredential = {
  readonly format: CredentialFormatId;
  readonly jws: DecodedJws;
  /** DID or URL, when it names one. */
  readonly issuer?: string;
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
  issuer: JsonValue | undefined,
): IssuedCredential {
  const { exp } = readTimes(jws.payload);
  return {
    format,
    jws,
    ...(typeof issuer === 'string' && { issuer }),
    ...(exp !== undefined && { expiresAt: new Date(exp * 1000) }),
  };
}
