import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { SealBrokenError } from './errors';

const VERSION = 1;
const NONCE = 12;
const TAG = 16;

/**
 * Seals bytes with AES-256-GCM under a 32-byte key: version (1 byte), random nonce (12), ciphertext, tag (16).
 * `additionalData` is authenticated and not contained: it names the place the envelope belongs to.
 */
export function sealBytes(key: KeyObject | Buffer, plaintext: Buffer, additionalData: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  cipher.setAAD(authenticated(additionalData));
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what `sealBytes` made; throws `SealBrokenError` for another key, other additional data or any altered byte. */
export function openBytes(key: KeyObject | Buffer, envelope: Buffer, additionalData: string): Buffer {
  if (envelope.length < 1 + NONCE + TAG || envelope[0] !== VERSION) throw new SealBrokenError();
  const decipher = createDecipheriv('aes-256-gcm', key, envelope.subarray(1, 1 + NONCE), { authTagLength: TAG });
  decipher.setAAD(authenticated(additionalData));
  decipher.setAuthTag(envelope.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(envelope.subarray(1 + NONCE, -TAG)), decipher.final()]);
  } catch {
    throw new SealBrokenError();
  }
}

function authenticated(additionalData: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(additionalData, 'utf8')]);
}
