import { decryptJwe, type JweAlgorithms, type PublicJwk, thumbprint } from '@app/primitives/jose';
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, webcrypto } from 'node:crypto';
import { SealBrokenError } from '../errors';
import { newPrivateKey } from '../store/key-pair';

/** By which others agree on a key with the pair (RFC 7518 §4.6); the name under which the key store keeps it. */
export const DECRYPTION_ALGORITHM = 'ECDH-ES';

/** A P-256 key pair to which others encrypt; its private half decrypts and never leaves. */
export class DecryptionKey {
  readonly #privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** RFC 7638 thumbprint */
  readonly kid: string;

  private constructor(privateKey: KeyObject) {
    this.#privateKey = privateKey;
    const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
    if (kty !== 'EC' || crv !== 'P-256' || !x || !y) throw new SealBrokenError('A key for decryption');
    this.publicJwk = { kty, crv, x, y };
    this.kid = thumbprint(this.publicJwk);
  }

  /** A new key pair, with the private half as JWK text for the one who seals it. */
  static generate(): { key: DecryptionKey; privateJwk: string } {
    const privateKey = newPrivateKey('P-256');
    return { key: new DecryptionKey(privateKey), privateJwk: JSON.stringify(privateKey.export({ format: 'jwk' })) };
  }

  static fromPrivateJwk(privateJwk: string): DecryptionKey {
    return new DecryptionKey(createPrivateKey({ key: JSON.parse(privateJwk) as JsonWebKey, format: 'jwk' }));
  }

  /** A handle for WebCrypto, which cannot be exported. */
  cryptoKey(): Promise<webcrypto.CryptoKey> {
    const jwk = this.#privateKey.export({ format: 'jwk' });
    return webcrypto.subtle.importKey('jwk', jwk, { name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  }

  /**
   * The plaintext of a compact JWE; undefined when it is not encrypted to this key as accepted.
   * @throws JweTooLargeError
   */
  decrypt(jwe: string, accepted: Omit<JweAlgorithms, 'keyManagement'>): Promise<string | undefined> {
    return decryptJwe(jwe, this.#privateKey, { keyManagement: [DECRYPTION_ALGORITHM], ...accepted });
  }
}
