import { createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { NoKeysError } from './errors';
import type { KeyStore, StoredKey } from './key-store';
import { openWithPassword, sealUnderPassword } from './password-envelope';

/** The purpose under which the key store keeps root keys. */
export const KEY_ENCRYPTION = 'key-encryption';
const ROW = `${KEY_ENCRYPTION}:1`;
const LENGTH = 32;

/** The key-encryption key. It encrypts nothing itself: each purpose gets a key derived from it, so none serves for another. */
export class RootKey {
  readonly #key: Buffer;
  readonly #derived = new Map<string, KeyObject>();

  constructor(key: Buffer) {
    if (key.length !== LENGTH) throw new RangeError(`a root key has ${LENGTH} bytes`);
    this.#key = key;
  }

  /** The 256-bit key of a purpose (HKDF-SHA-256, RFC 5869). Purposes are constants of the code: they are cached for good. */
  derive(purpose: string): KeyObject {
    let key = this.#derived.get(purpose);
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', this.#key, '', `sealwright/v1/${purpose}`, LENGTH)));
      this.#derived.set(purpose, key);
    }
    return key;
  }
}

/**
 * Opens the root key of this database with the password, and makes it when there is none. Of several replicas that start
 * on an empty database the first insert wins and all of them read that one back.
 */
export async function unlockRootKey(store: KeyStore, password: string): Promise<RootKey> {
  let row = await store.find(ROW);
  if (!row) {
    const sealed = await sealUnderPassword(password, randomBytes(LENGTH), ROW);
    const now = await store.now();
    const dates = { createdAt: now, updatedAt: now };
    // Its proof comes with the first proof key, which needs this one.
    const added = {
      id: ROW,
      purpose: KEY_ENCRYPTION,
      algorithm: null,
      publicJwk: null,
      sealed,
      ...dates,
      proof: null,
    };
    await store.insert({ ...added, status: 'active' });
    row = await store.find(ROW);
  }
  if (!row) throw new Error('The key store does not keep what is written to it.');
  return openRow(row, password);
}

/** Opens the root key and makes none. Throws `NoKeysError` when there is none, `KeyStoreLockedError`. */
export async function unlockExistingRootKey(store: KeyStore, password: string): Promise<RootKey> {
  const row = await store.find(ROW);
  if (!row) throw new NoKeysError();
  return openRow(row, password);
}

async function openRow({ sealed }: StoredKey, password: string): Promise<RootKey> {
  return new RootKey(await openWithPassword(password, sealed, ROW));
}
