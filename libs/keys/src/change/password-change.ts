import { KeyStoreLockedError, NoKeysError, SealBrokenError } from '../errors';
import { type KeyDatabase, KeyStore } from '../store/key-store';
import { isUnderPassword, openWithPassword, sealUnderPassword } from '../root/password-envelope';
import { KEY_ENCRYPTION } from '../root/root-keys';

/**
 * Seals the root key under another password. Processes that run hold the root key and go on; each later start needs the
 * new one. Throws `NoKeysError`, and `KeyStoreLockedError` for a wrong `current` or when another change came between.
 */
export async function changePassword(database: KeyDatabase, current: string, next: string): Promise<void> {
  const rows = (await new KeyStore(database).list(KEY_ENCRYPTION)).filter(({ sealed }) => isUnderPassword(sealed));
  if (rows.length === 0) throw new NoKeysError();
  const changes: { readonly id: string; readonly sealed: string; readonly resealed: string }[] = [];
  for (const { id, sealed } of rows) {
    const key = await opened(current, sealed, id);
    if (!key) continue;
    changes.push({ id, sealed, resealed: await sealUnderPassword(next, key, id) });
    key.fill(0);
  }
  if (changes.length === 0) throw new KeyStoreLockedError();
  // There are two while the root key changes; then both change, or none.
  await database.transaction(async (tx) => {
    const store = new KeyStore(tx);
    for (const { id, sealed, resealed } of changes) {
      if (!(await store.reseal(id, sealed, resealed))) throw new KeyStoreLockedError();
    }
  });
}

/** Undefined for a row that was added by SQL, as for a wrong password. */
async function opened(password: string, sealed: string, id: string): Promise<Buffer | undefined> {
  try {
    return await openWithPassword(password, sealed, id);
  } catch (error) {
    if (error instanceof KeyStoreLockedError || error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
