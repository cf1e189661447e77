import { constants, type KeyObject, verify } from 'node:crypto';
import { type DecodedJws, JWS_ALGORITHMS, JwsError, verifyJws } from './jws';
import { parsePublicJwk, type PublicJwk } from './public-jwk';

// RFC 7518 §3.3 to §3.5: the salt is as long as the digest.
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const pkcs1 = { padding: constants.RSA_PKCS1_PADDING };
/** Bits of the smallest RSA key. */
const smallestModulus = 2048;
const p521SignatureBytes = 132;

const rsaSchemes: Readonly<Record<string, { readonly digest: string; readonly options: object }>> = {
  PS256: { digest: 'sha256', options: pss },
  PS384: { digest: 'sha384', options: pss },
  PS512: { digest: 'sha512', options: pss },
  RS256: { digest: 'sha256', options: pkcs1 },
  RS384: { digest: 'sha384', options: pkcs1 },
  RS512: { digest: 'sha512', options: pkcs1 },
};

/**
 * The algorithms of authorities that do not follow the profiles of wallets: registrars, and operators of lists. Their keys are known
 * by certificate alone.
 */
export const CERTIFIED_JWS_ALGORITHMS: readonly string[] = [...JWS_ALGORITHMS, 'ES512', ...Object.keys(rsaSchemes)];

/** Verifies the signature of a decoded JWS under the key of a certificate, by one of `CERTIFIED_JWS_ALGORITHMS`. Throws `JwsError`. */
export function verifyCertifiedJws(jws: DecodedJws, key: KeyObject): void {
  const { alg } = jws.header;
  const rsa = typeof alg === 'string' && Object.hasOwn(rsaSchemes, alg) ? rsaSchemes[alg] : undefined;
  if (alg !== 'ES512' && !rsa) {
    verifyJws(jws, jwkOf(key), JWS_ALGORITHMS);
    return;
  }
  if (!(rsa ? isSoundRsaKey(key) : key.asymmetricKeyDetails?.namedCurve === 'secp521r1')) throw mismatch();
  const isSigned = rsa
    ? verify(rsa.digest, Buffer.from(jws.signingInput), { key, ...rsa.options }, jws.signature)
    : jws.signature.length === p521SignatureBytes &&
      verify('sha512', Buffer.from(jws.signingInput), { key, dsaEncoding: 'ieee-p1363' }, jws.signature);
  if (!isSigned) throw new JwsError('bad-signature', 'the signature does not verify');
}

function isSoundRsaKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= smallestModulus;
}

/** Of keys that it cannot name Node says so in an error of its own for each kind. */
function jwkOf(key: KeyObject): PublicJwk {
  try {
    return parsePublicJwk(key.export({ format: 'jwk' }));
  } catch {
    throw mismatch();
  }
}

function mismatch(): JwsError {
  return new JwsError('key-mismatch', 'the algorithm does not fit the key');
}
