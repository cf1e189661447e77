import type { Settings } from '@app/config';
import { connectDriver, hasAudit, schemaVersions, type SqlDriver } from '@app/event-store';
import { existsSync } from 'node:fs';
import { isRecorded, recorded } from './command-audit';
import { CommandFailure } from './failure';
import { readSettings } from './settings';
import { inStore } from './stores';
import { forTenant } from './tenant';

/** What a command does with the open database. */
export type DatabaseWork<T> = (driver: SqlDriver, settings: Settings) => Promise<T>;

/** Reads the settings, opens the database without migrating it, creates a missing embedded one, and closes it again. */
export async function withDatabase<T>(work: DatabaseWork<T>): Promise<T> {
  const settings = await readSettings();
  return withOpened(settings, (driver) =>
    recorded(
      driver,
      () => work(driver, settings),
      () => hasAudit(driver),
    ),
  );
}

/**
 * Opens an existing database that has the tables of this release; refuses others, because only `migrate` changes them.
 * @param tenantId whom the work is done for, with the settings of that tenant; recorded in its audit, where that is
 */
export async function withTables<T>(work: DatabaseWork<T>, tenantId?: string): Promise<T> {
  const settings = await readSettings();
  assertExists(settings);
  return withOpened(settings, async (driver) => {
    const { applied, shipped } = await schemaVersions(driver);
    if (applied === shipped) {
      return forTenant(driver, settings, tenantId, (own, store) =>
        inStore(driver, own, isRecorded() ? store : undefined, (audit) => recorded(audit, () => work(driver, own))),
      );
    }
    const found = applied === 0 ? 'no tables' : `tables of version ${applied}`;
    throw new CommandFailure(
      `The database has ${found} and this release needs version ${shipped}: run "sealwright migrate" first.`,
    );
  });
}

/** Opens the database of the settings without migrating it and closes it after the work. */
export async function withOpened<T>(
  {
    eventStore: { type, connectionString },
  }: { readonly eventStore: Pick<Settings['eventStore'], 'type' | 'connectionString'> },
  work: (driver: SqlDriver) => Promise<T>,
): Promise<T> {
  const driver = await connectDriver(
    // Commands work one statement at a time and leave the connections to the service.
    type === 'postgres' ? { type, connectionString, poolSize: 2 } : { type, directory: connectionString },
  );
  try {
    return await work(driver);
  } finally {
    await driver.close();
  }
}

/** Inspecting an embedded database must not create an empty one in the current directory. */
export function assertExists({ eventStore: { type, connectionString } }: Settings): void {
  if (type !== 'embedded' || existsSync(connectionString)) return;
  throw new CommandFailure(
    `There is no embedded database in ${connectionString}: start the service once, or run "sealwright migrate".`,
  );
}
