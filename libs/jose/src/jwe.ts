import { compactDecrypt } from 'jose';
import type { KeyObject } from 'node:crypto';

/** What a recipient accepts (RFC 7518 §4.1 and §5.1). */
export interface JweAlgorithms {
  readonly keyManagement: readonly string[];
  readonly contentEncryption: readonly string[];
}

/**
 * The plaintext of a JWE in compact serialisation (RFC 7516 §7.1).
 * @returns undefined when it is not encrypted to this key, by accepted algorithms
 */
export async function decryptJwe(jwe: string, key: KeyObject, accepted: JweAlgorithms): Promise<string | undefined> {
  try {
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [...accepted.keyManagement],
      contentEncryptionAlgorithms: [...accepted.contentEncryption],
    });
    return Buffer.from(plaintext).toString('utf8');
  } catch {
    return undefined;
  }
}
