import { type PublicJwk, thumbprint } from '@app/primitives/jose';
import { createPrivateKey, createPublicKey, sign, type JsonWebKey, type KeyObject, webcrypto } from 'node:crypto';
import { SealBrokenError } from '../errors';
import { newPrivateKey } from '../store/key-pair';

export const signingAlgorithms = ['ES256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A key pair whose private half signs and never leaves, wherever it is. The public half is known without asking. */
export interface KeyPair {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: PublicJwk;
  /** The signature of JWS and COSE over the bytes: 64 bytes with either algorithm. Never to be awaited in a unit of work. */
  sign(data: Buffer): Promise<Buffer>;
}

/**
 * Compact JWS (RFC 7515 §3.1) over a JSON payload. `alg` is always the key's; `kid` is the thumbprint unless the header brings
 * its own (a DID URL, for one) or says `kid: undefined` to go without.
 */
export function signJwt(key: KeyPair, header: object, payload: object): Promise<string> {
  const input = `${encode({ kid: key.kid, ...header, alg: key.algorithm })}.${encode(payload)}`;
  return key.sign(Buffer.from(input)).then((signature) => `${input}.${signature.toString('base64url')}`);
}

/** A key pair in this process. */
export class SigningKey implements KeyPair {
  readonly #privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** RFC 7638 thumbprint */
  readonly kid: string;

  private constructor(
    readonly algorithm: SigningAlgorithm,
    privateKey: KeyObject,
  ) {
    this.#privateKey = privateKey;
    this.publicJwk = publicHalf(algorithm, privateKey);
    this.kid = thumbprint(this.publicJwk);
  }

  /** A new key pair, with the private half as JWK text for the one who seals it. */
  static generate(algorithm: SigningAlgorithm): { key: SigningKey; privateJwk: string } {
    const privateKey = newPrivateKey(algorithm === 'ES256' ? 'P-256' : 'Ed25519');
    return {
      key: new SigningKey(algorithm, privateKey),
      privateJwk: JSON.stringify(privateKey.export({ format: 'jwk' })),
    };
  }

  static fromPrivateJwk(algorithm: SigningAlgorithm, privateJwk: string): SigningKey {
    const jwk = JSON.parse(privateJwk) as JsonWebKey;
    return new SigningKey(algorithm, createPrivateKey({ key: jwk, format: 'jwk' }));
  }

  /** @param pem PKCS#8 or SEC 1, not encrypted. Throws for a key of another kind. */
  static fromPem(pem: string): { key: SigningKey; privateJwk: string } {
    const jwk = createPrivateKey(pem).export({ format: 'jwk' });
    const algorithm = jwk.crv === 'Ed25519' ? 'EdDSA' : 'ES256';
    const privateJwk = JSON.stringify(jwk);
    return { key: SigningKey.fromPrivateJwk(algorithm, privateJwk), privateJwk };
  }

  /** Handles for WebCrypto, of which the private one cannot be exported. */
  async cryptoKeys(): Promise<webcrypto.CryptoKeyPair> {
    const algorithm = this.algorithm === 'ES256' ? { name: 'ECDSA', namedCurve: 'P-256' } : { name: 'Ed25519' };
    const privateJwk = this.#privateKey.export({ format: 'jwk' });
    const [privateKey, publicKey] = await Promise.all([
      webcrypto.subtle.importKey('jwk', privateJwk, algorithm, false, ['sign']),
      webcrypto.subtle.importKey('jwk', { ...this.publicJwk }, algorithm, true, ['verify']),
    ]);
    return { privateKey, publicKey };
  }

  sign(data: Buffer): Promise<Buffer> {
    return Promise.resolve(this.signNow(data));
  }

  signNow(data: Buffer): Buffer {
    if (this.algorithm === 'EdDSA') return sign(null, data, this.#privateKey);
    // RFC 7518 §3.4: r and s side by side, not DER.
    return sign('sha256', data, { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
  }
}

/** A key pair and the chain (PEM) of its certificate. */
export interface CertifiedPair {
  readonly key: SigningKey;
  readonly privateJwk: string;
  readonly chain: string;
}

function publicHalf(algorithm: SigningAlgorithm, privateKey: KeyObject): PublicJwk {
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (algorithm === 'ES256' && kty === 'EC' && crv === 'P-256' && x && y) return { kty, crv, x, y };
  if (algorithm === 'EdDSA' && kty === 'OKP' && crv === 'Ed25519' && x) return { kty, crv, x };
  throw new SealBrokenError(`A key for ${algorithm}`);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}
