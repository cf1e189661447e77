import { decodeBase64Url } from '@app/primitives/jose';
import { hashRaw } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from './envelope';
import { KeyStoreLockedError, SealBrokenError } from '../errors';

// RFC 9106 §4, second recommended option. Version p1 stands for these parameters; others get a version of their own.
const VERSION = 'p1';
const ARGON2ID = { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4, outputLen: 32 } as const;
const SALT = 16;

/** Seals a key under a password: `p1.` and base64url of salt (16 bytes) and envelope. Takes about 0.1 s and 64 MiB. */
export async function sealUnderPassword(password: string, key: Buffer, additionalData: string): Promise<string> {
  const salt = randomBytes(SALT);
  const envelope = sealBytes(await derive(password, salt), key, additionalData);
  return `${VERSION}.${Buffer.concat([salt, envelope]).toString('base64url')}`;
}

/** Whether what is sealed was sealed under a password. */
export function isUnderPassword(sealed: string): boolean {
  return sealed.startsWith(`${VERSION}.`);
}

/** Throws `KeyStoreLockedError` for a wrong password and `SealBrokenError` for what is no envelope of a known version. */
export async function openWithPassword(password: string, sealed: string, additionalData: string): Promise<Buffer> {
  const [version, text = '', ...more] = sealed.split('.');
  const bytes = decodeBase64Url(text);
  if (version !== VERSION || more.length > 0 || !bytes || bytes.length <= SALT)
    throw new SealBrokenError('The key store');
  try {
    return openBytes(await derive(password, bytes.subarray(0, SALT)), bytes.subarray(SALT), additionalData);
  } catch (error) {
    throw error instanceof SealBrokenError ? new KeyStoreLockedError() : error;
  }
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  // One form for accented letters, whichever keyboard or file the password came from.
  return hashRaw(password.normalize('NFKC'), { ...ARGON2ID, salt });
}
