import { compactDecrypt, CompactEncrypt, errors } from 'jose';
import type { KeyObject } from 'node:crypto';
import type { PublicJwk } from './public-jwk';
import { importPublicKey } from './public-key';

/** What a recipient accepts (RFC 7518 §4.1 and §5.1). */
export interface JweAlgorithms {
  readonly keyManagement: readonly string[];
  readonly contentEncryption: readonly string[];
  /** The most bytes to which a compressed plaintext may be inflated (`zip`, RFC 7516 §4.1.3); none when it must not be compressed. */
  readonly mostInflatedBytes?: number;
}

/** A JWE whose plaintext would be inflated to more than the recipient accepts. */
export class JweTooLargeError extends Error {}

/**
 * The plaintext of a JWE in compact serialisation (RFC 7516 §7.1).
 * @returns undefined when it is not encrypted to this key, by accepted algorithms
 * @throws JweTooLargeError
 */
export async function decryptJwe(jwe: string, key: KeyObject, accepted: JweAlgorithms): Promise<string | undefined> {
  try {
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [...accepted.keyManagement],
      contentEncryptionAlgorithms: [...accepted.contentEncryption],
      maxDecompressedLength: accepted.mostInflatedBytes ?? 0,
    });
    return Buffer.from(plaintext).toString('utf8');
  } catch (error) {
    if (error instanceof errors.JWEInvalid && /exceeded the configured limit/u.test(error.message)) {
      throw new JweTooLargeError(error.message);
    }
    return undefined;
  }
}

/** The header of a JWE, as the recipient asked for it. */
export interface JweHeader {
  /** `ECDH-ES`, alone or with a key wrap. */
  readonly alg: string;
  readonly enc: string;
  readonly kid?: string;
  readonly zip?: 'DEF';
  /** `JWT` when the plaintext is one (RFC 7519 §5.2). */
  readonly cty?: 'JWT';
}

/** A JWE in compact serialisation. Throws for a key that is not on its curve; see `isOnCurve`. */
export async function encryptJwe(plaintext: string, recipient: PublicJwk, header: JweHeader): Promise<string> {
  const key = importPublicKey(recipient);
  if (!key) throw new Error('a JWE for a key that is not on its curve');
  return new CompactEncrypt(new TextEncoder().encode(plaintext)).setProtectedHeader({ ...header }).encrypt(key);
}

/** Whether a key can be used: its point lies on its curve. */
export function isOnCurve(key: PublicJwk): boolean {
  return importPublicKey(key) !== undefined;
}
