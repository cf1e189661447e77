import type { Settings } from '@app/config';
import { connectErasureKeys, type SqlDriver } from '@app/event-store';

/** Opens the database of erasure keys, if the settings name one, without migrating it, and closes it after the work. */
export async function withErasureKeys<T>(
  { erasureKeys: { connectionString } }: Pick<Settings, 'erasureKeys'>,
  work: (keys: SqlDriver | undefined) => Promise<T>,
): Promise<T> {
  if (connectionString === '') return work(undefined);
  const keys = await connectErasureKeys(connectionString);
  try {
    return await work(keys);
  } finally {
    await keys.close();
  }
}
