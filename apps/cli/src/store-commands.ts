import {
  furtherStoresOf,
  migrateErasureKeys,
  Stores,
  adoptRestoredHistory,
  assertPartitionable,
  migrate,
  PartitioningError,
  partitionTables,
  type SqlDriver,
  lastCheckpoint,
} from '@app/event-store';
import type { Settings } from '@app/config';
import type { Command } from 'commander';
import { counted } from './counted';
import { withDatabase, withTables } from './database';
import { withErasureKeys } from './erasure-key-database';
import { CommandFailure } from './failure';
import { addRebuildCommand } from './rebuild-command';
import { addVerifyCommand } from './verify-command';

/** The tables and their contents. */
export function addStoreCommands(program: Command): void {
  program
    .command('migrate')
    .description('Brings the tables of the database up to date; the service does the same when it starts.')
    .option('--partitions <number>', 'divide the tables that grow into so many partitions; with the service stopped')
    .addHelpText('after', '\nExamples:\n  sealwright migrate\n  sealwright migrate --partitions 16')
    .action(migrateTables);
  addRebuildCommand(program);
  addVerifyCommand(program);
  addCheckpointCommand(program);
}

function migrateTables({ partitions }: { partitions?: string }): Promise<void> {
  return withDatabase(async (driver, settings) => {
    // A refusal leaves the tables as they were.
    if (partitions !== undefined) await refusing(assertPartitionable(driver, Number(partitions)));
    const { from, to } = await migrate(driver);
    await adoptRestoredHistory(driver);
    const done = from === to ? `already have version ${to}; nothing to do` : `went from version ${from} to ${to}`;
    process.stdout.write(`The tables ${done}.\n`);
    await migrateFurther(driver, settings);
    await withErasureKeys(settings, async (keys) => {
      if (!keys) return;
      await migrateErasureKeys(keys);
      process.stdout.write('The tables of the erasure keys are up to date.\n');
    });
    if (partitions !== undefined) await divideTables(driver, partitions);
  });
}

async function migrateFurther(driver: SqlDriver, settings: Settings): Promise<void> {
  const { directory } = settings.stores;
  if (directory === '') return;
  const stores = new Stores(driver, furtherStoresOf({ directory, poolSize: 2 }));
  try {
    await stores.start();
    for (const { name, fault } of stores.standings()) {
      if (fault !== undefined) throw new CommandFailure(`The store ${name} could not be brought up to date: ${fault}`);
      process.stdout.write(`The tables of the store ${name} are up to date.\n`);
    }
  } finally {
    await stores.closeFurther();
  }
}

async function divideTables(driver: SqlDriver, partitions: string): Promise<void> {
  const { isUnchanged, rows } = await refusing(partitionTables(driver, Number(partitions)));
  const state = isUnchanged ? 'have' : 'now have';
  process.stdout.write(`The tables that grow ${state} ${partitions} partitions each.\n`);
  if (isUnchanged) return;
  process.stdout.write(
    `Copied ${counted(rows, 'row')}. Grant the rights of the service's role again: "sealwright grants".\n`,
  );
}

async function refusing<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof PartitioningError ? new CommandFailure(error.message) : error;
  });
}

function addCheckpointCommand(program: Command): void {
  program
    .command('checkpoint')
    .description(
      'Prints the last checkpoint, a signed digest of all events. Keep it somewhere other than the database.',
    )
    .addHelpText('after', '\nExample:\n  sealwright checkpoint > kept-on-monday.jws')
    .action(printLast);
}

function printLast(): Promise<void> {
  return withTables(async (driver) => {
    const last = await lastCheckpoint(driver);
    if (last === undefined) {
      throw new CommandFailure(
        'There is no checkpoint yet: the service takes one for every minute in which events were stored.',
      );
    }
    process.stdout.write(`${last}\n`);
  });
}
