import { KeyStoreLockedError, NoKeysError } from './errors';
import { type KeyDatabase, KeyStore } from './key-store';
import { isUnderPassword, openWithPassword, sealUnderPassword } from './password-envelope';
import { KEY_ENCRYPTION } from './root-keys';

/**
 * Seals the root key under another password. Processes that run hold the root key and go on; each later start needs the
 * new one. Throws `NoKeysError`, and `KeyStoreLockedError` for a wrong `current` or when another change came between.
 */
export async function changePassword(database: KeyDatabase, current: string, next: string): Promise<void> {
  const rows = (await new KeyStore(database).list(KEY_ENCRYPTION)).filter(({ sealed }) => isUnderPassword(sealed));
  if (rows.length === 0) throw new NoKeysError();
  // There are two while the root key changes; then both change, or none.
  const changes = await Promise.all(
    rows.map(async ({ id, sealed }) => {
      const key = await openWithPassword(current, sealed, id);
      const anew = await sealUnderPassword(next, key, id);
      key.fill(0);
      return { id, sealed, anew };
    }),
  );
  await database.transaction(async (tx) => {
    const store = new KeyStore(tx);
    for (const { id, sealed, anew } of changes) {
      if (!(await store.reseal(id, sealed, anew))) throw new KeyStoreLockedError();
    }
  });
}
