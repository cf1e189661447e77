import type { CurrentDeadline } from '@app/primitives/time';
import { Logger } from '@nestjs/common';
import { join } from 'node:path';
import { connectDriver } from '../event-store.module';
import { type RoleRight, missingRights } from '../database/grants';
import { migrate, schemaVersions } from '../database/migrate';
import type { SqlDriver, SqlExecutor } from '../database/sql-driver';
import { WatchedDriver } from '../database/watched.driver';
import { identityOf, isRestored, noteDatabase, notedDatabase } from './erasure-key-database';

/** The build copies the .sql files next to the compiled code. */
const migrations = join(__dirname, 'migrations');

/** Connections of one process. Reads and writes are grouped, so that a few are enough. */
const poolSize = 8;

const setting = 'SERVICE__ERASURE_KEYS__CONNECTION_STRING';

/** What the service does there, and so what its role must be allowed. */
export const erasureKeyRights: readonly RoleRight[] = [
  { table: 'erasure_keys', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'erasures', rights: ['select', 'insert', 'update'] },
  { table: 'followed_store', rights: ['select', 'update'] },
  { table: 'schema_migrations', rights: ['select'] },
];

/** The erasure keys of a store are not to be used as they are. The message says what to do. */
export class ErasureKeysError extends Error {
  override readonly name = 'ErasureKeysError';
}

/**
 * Opens the database of erasure keys for a service and brings its tables up to date. Throws `ErasureKeysError` unless it is the
 * one of this store, and the store has all erasures.
 */
export async function openErasureKeys(
  store: SqlDriver,
  connectionString: string,
  deadline: CurrentDeadline,
): Promise<SqlDriver | undefined> {
  if (connectionString === '') {
    if ((await notedDatabase(store)) === undefined) return undefined;
    throw new ErasureKeysError(
      `The data keys of this store are under erasure keys in another database: set ${setting}.`,
    );
  }
  const driver = new WatchedDriver(await connectErasureKeys(connectionString), deadline);
  try {
    await migrateErasureKeys(driver);
    await warnOfMissingRights(driver);
    await assertOwn(store, driver);
    await noteDatabase(store, driver);
    await assertComplete(store, driver);
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

async function warnOfMissingRights(driver: SqlDriver): Promise<void> {
  const missing = await missingRights(driver, undefined, erasureKeyRights);
  if (missing.length === 0) return;
  const reason = missing.join(', ');
  new Logger('ErasureKeys').error(
    { event: 'database.rights-missing', reason },
    'Run "sealwright grants" as the owner of the tables',
  );
}

/** Opens the database without migrating or checking it. */
export function connectErasureKeys(connectionString: string): Promise<SqlDriver> {
  return connectDriver({ type: 'postgres', connectionString, poolSize });
}

/** Throws `ErasureKeysError` when it is the database of a store. */
export async function migrateErasureKeys(driver: SqlDriver): Promise<{ from: number; to: number }> {
  const [found] = await driver.query<{ store: boolean }>({
    name: 'erasure-keys-place',
    text: `select to_regclass('events') is not null as store`,
    values: [],
  });
  if (found?.store === true)
    throw new ErasureKeysError(`${setting} leads to the database of a store: erasure keys need one of their own.`);
  return migrate(driver, migrations);
}

/** How many migrations the database has had and how many there are. Throws as `migrate` does; changes nothing. */
export function erasureKeyVersions(driver: SqlExecutor): Promise<{ applied: number; shipped: number }> {
  return schemaVersions(driver, migrations);
}

/** Throws `ErasureKeysError` when the erasure keys are those of another store. */
export async function assertOwn(store: SqlExecutor, keys: SqlExecutor): Promise<void> {
  // First what is written last, so that replicas may start at once.
  const { id, isTaken } = await identityOf(keys);
  const noted = await notedDatabase(store);
  if (noted === undefined && isTaken)
    throw new ErasureKeysError(
      `${setting} leads to the erasure keys of another store. If this store was restored from a backup of the time before it had ` +
        'erasure keys, run "sealwright erasures replay".',
    );
  if (noted !== undefined && noted !== id)
    throw new ErasureKeysError(
      `${setting} leads to another database than the one with the erasure keys of this store.`,
    );
}

/** Throws `ErasureKeysError` when the store was restored from a backup and lacks erasures. */
export async function assertComplete(store: SqlExecutor, keys: SqlExecutor): Promise<void> {
  if (await isRestored(store, keys))
    throw new ErasureKeysError(
      'The database was restored from a backup and lacks erasures: run "sealwright erasures replay", then start the service.',
    );
}
