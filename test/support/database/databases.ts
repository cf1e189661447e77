import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStore, openDriver, partitionTables, type EventStoreOptions, type SqlDriver } from '@app/event-store';
import { sharedPostgres, type TestPostgres } from './postgres';

/** A database of one kind, empty at first, for one test file. */
export interface TestDatabase {
  readonly options: EventStoreOptions;
  /** Opens it and migrates; call `close` on what it returns, or let `stop` do it. */
  open(): Promise<{ driver: SqlDriver; store: EventStore }>;
  stop(): Promise<void>;
}

/** The same contract holds on all: `describe.each(databaseKinds)('... (%s)', (kind) => ...)`. */
export const databaseKinds = ['postgres', 'partitioned', 'embedded'] as const;

/** Few, so that each has several of the rows of a test. */
const partitions = 3;

/** A new database on the shared server, or a new directory (seconds). */
export async function startDatabase(kind: (typeof databaseKinds)[number]): Promise<TestDatabase> {
  if (kind === 'embedded') {
    const directory = mkdtempSync(join(tmpdir(), 'embedded-test-'));
    return testDatabase({ type: 'embedded', directory }, () => {
      rmSync(directory, { recursive: true, force: true });
      return Promise.resolve();
    });
  }
  const database = await databaseOn(sharedPostgres());
  if (kind === 'partitioned') await divide(database.options);
  return database;
}

async function divide(options: EventStoreOptions): Promise<void> {
  const driver = await openDriver(options);
  await partitionTables(driver, partitions);
  await driver.close();
}

/** A fresh database on a server that is running already. */
export async function databaseOn(
  server: TestPostgres,
  after = (): Promise<void> => Promise.resolve(),
): Promise<TestDatabase> {
  return testDatabase({ type: 'postgres', connectionString: await server.createDatabase() }, after);
}

function testDatabase(options: EventStoreOptions, after: () => Promise<void>): TestDatabase {
  const stores: EventStore[] = [];
  return {
    options,
    open: async () => {
      const driver = await openDriver(options);
      const store = new EventStore(driver);
      stores.push(store);
      return { driver, store };
    },
    stop: async () => {
      for (const store of stores) await store.close();
      await after();
    },
  };
}
