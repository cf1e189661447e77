import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { NewerSealError, SealBrokenError } from '../errors';

/** First byte of what `sealUnderRoot` makes under a later root key than the first; no version of an envelope has it. */
export const UNDER_LATER_ROOT = 2;
/** Versions that this release opens; it makes the last one. */
const VERSIONS: readonly number[] = [1];
const VERSION = VERSIONS.at(-1) ?? 1;
const NONCE = 12;
const TAG = 16;

/**
 * Seals bytes with AES-256-GCM under a 32-byte key: version (1 byte), random nonce (12), ciphertext, tag (16).
 * `additionalData` is authenticated and not contained: it names the place the envelope belongs to.
 */
export function sealBytes(key: KeyObject | Buffer, plaintext: Buffer, additionalData: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  cipher.setAAD(authenticated(VERSION, additionalData));
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Throws `NewerSealError` for what was sealed in a later version than this release knows. */
export function refuseNewerSeal([version = 0]: Buffer): void {
  if (version > Math.max(VERSION, UNDER_LATER_ROOT)) throw new NewerSealError();
}

/**
 * Opens what `sealBytes` made; throws `SealBrokenError` for another key, other additional data or any altered byte, and
 * `NewerSealError`, which is one of them, for a later version.
 */
export function openBytes(key: KeyObject | Buffer, envelope: Buffer, additionalData: string): Buffer {
  const [version = 0] = envelope;
  if (version > VERSION) throw new NewerSealError();
  if (envelope.length < 1 + NONCE + TAG || !VERSIONS.includes(version)) throw new SealBrokenError();
  const decipher = createDecipheriv('aes-256-gcm', key, envelope.subarray(1, 1 + NONCE), { authTagLength: TAG });
  decipher.setAAD(authenticated(version, additionalData));
  decipher.setAuthTag(envelope.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(envelope.subarray(1 + NONCE, -TAG)), decipher.final()]);
  } catch {
    throw new SealBrokenError();
  }
}

function authenticated(version: number, additionalData: string): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(additionalData, 'utf8')]);
}
