import { randomBytes } from 'node:crypto';
import { KeyStoreLockedError, NoKeysError, SealBrokenError } from '../errors';
import { keyGenerationOf, type KeyStore, type StoredKey } from '../store/key-store';
import { isUnderPassword, openWithPassword, sealUnderPassword } from './password-envelope';
import { RootKey } from './root-key';
import { idOfRoot, KEY_ENCRYPTION, RootKeys } from './root-keys';

/** The number of the first root key of a store. */
const FIRST = 2;

/**
 * Opens the root keys of this database with the password, and makes one when there is none. Of several replicas that start
 * on an empty database the first insert wins and all of them read that one back. Throws `KeyStoreLockedError`.
 */
export async function openRootKeys(store: KeyStore, password: string): Promise<RootKeys> {
  const rows = await store.list(KEY_ENCRYPTION);
  if (rows.length > 0) return open(store, password);
  // Its proof comes with the first proof key, which needs this one.
  await store.insert(await newRootRow(store, FIRST, randomBytes(32), password));
  return open(store, password);
}

/** Opens the root keys and makes none. Throws `NoKeysError` when there is none, `KeyStoreLockedError`. */
export async function openExistingRootKeys(store: KeyStore, password: string): Promise<RootKeys> {
  return open(store, password);
}

/** A row for a root key under the password, without a proof. */
export async function newRootRow(
  store: KeyStore,
  generation: number,
  key: Buffer,
  password: string,
): Promise<StoredKey> {
  const id = idOfRoot(generation);
  const now = await store.now();
  return {
    id,
    purpose: KEY_ENCRYPTION,
    algorithm: null,
    status: 'active',
    publicJwk: null,
    sealed: await sealUnderPassword(password, key, id),
    createdAt: now,
    updatedAt: now,
    proof: null,
    chain: null,
    provider: null,
    reference: null,
  };
}

async function open(store: KeyStore, password: string): Promise<RootKeys> {
  const rows = await store.all();
  const underPassword = rows.filter(({ purpose, sealed }) => purpose === KEY_ENCRYPTION && isUnderPassword(sealed));
  const opened: RootKey[] = [];
  let refused: Error = new NoKeysError();
  // One after the other, for each takes 64 MiB. A row that was added by hand does not open, and does not prevent the start.
  for (const row of underPassword) {
    try {
      opened.push(new RootKey(await openWithPassword(password, row.sealed, row.id), keyGenerationOf(row)));
    } catch (error) {
      if (!(error instanceof KeyStoreLockedError || error instanceof SealBrokenError)) throw error;
      refused = error;
    }
  }
  const [current, ...later] = opened.sort((one, other) => one.generation - other.generation);
  if (!current) throw refused;
  const roots = new RootKeys(current, later);
  roots.take(rows);
  return roots;
}
