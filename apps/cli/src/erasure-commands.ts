import {
  EventStore,
  type SqlDriver,
  assertOwn,
  ErasureFollower,
  ErasureKeys,
  erasuresKnownIn,
  type ErasureTimes,
  erasureTimesOf,
  hashOfStream,
  migrateErasureKeys,
  noteDatabase,
  notedDatabase,
  noteReplayed,
  recordedErasures,
  streamsToErase,
} from '@app/event-store';
import { isDateTime } from '@app/primitives/time';
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { eraserOf } from './aggregates';
import { counted } from './counted';
import { withTables } from './database';
import { withErasureKeys } from './erasure-key-database';
import { openKeysToCheck } from './existing-store';
import { codeOf, CommandFailure, UsageFailure } from './failure';
import { ProgressLine } from './progress-line';
import { inStore, isFurther, storeOption } from './stores';

/** Erasures of personal data, which have to outlive the backups. */
export function addErasureCommands(program: Command): void {
  const erasures = program
    .command('erasures')
    .description('Erasures of personal data, to be repeated in a database that was restored from a backup.')
    .helpCommand(false);
  erasures
    .command('list')
    .option('--since <time>', 'only those recorded at or after this date-time', '0001-01-01T00:00:00Z')
    .option(...storeOption)
    .description('Lists the erasures with hashes in place of the names of credentials and requests, the oldest first.')
    .addHelpText('after', '\nExample:\n  sealwright erasures list --since 2027-01-01T00:00:00Z > erasures.txt')
    .action(list);
  erasures
    .command('replay')
    .argument('[file]', 'what "erasures list" has printed (default: what the database of erasure keys knows)')
    .option(...storeOption)
    .description('Erases again what was erased after the backup was made. May be repeated; changes nothing else.')
    .addHelpText('after', '\nExamples:\n  sealwright erasures replay\n  sealwright erasures replay erasures.txt')
    .action(replay);
}

function list({ since, store }: { readonly since: string; readonly store?: string }): Promise<void> {
  if (!isDateTime(since)) throw new UsageFailure('--since has to be a date-time such as 2027-01-01T00:00:00Z.');
  return withTables((first, settings) =>
    inStore(first, settings, store, async (driver) => {
      for await (const page of recordedErasures(driver, since)) {
        process.stdout.write(page.map(({ streamId, erasedAt }) => `${erasedAt} ${hashOfStream(streamId)}\n`).join(''));
      }
    }),
  );
}

async function replay(file: string | undefined, { store }: { readonly store?: string }): Promise<void> {
  if (isFurther(store)) return replayInFurther(file, store);
  const listed = file === undefined ? undefined : await readList(file);
  await withTables((driver, settings) =>
    withErasureKeys(settings, async (keys) => {
      const times = listed ?? (keys && erasuresKnownIn(keys));
      if (!times) throw new UsageFailure('Name the file with the list: there is no database of erasure keys.');
      const opened = await openKeysToCheck(driver, settings);
      if ('reason' in opened) throw new CommandFailure(opened.reason);
      const store = new EventStore(driver, undefined, opened.proofs);
      if (keys) await connect(store, driver, keys);
      await store.ping();
      const erased = await eraseAgain(store, driver, times);
      if (keys && !listed) await noteReplayed(driver, keys);
      sayErased(erased);
    }),
  );
}

/** Erasure keys are of the first store alone. */
async function replayInFurther(file: string | undefined, name: string): Promise<void> {
  if (file === undefined)
    throw new UsageFailure(`Name the file that "sealwright erasures list --store ${name}" has printed.`);
  const times = await readList(file);
  await withTables((first, settings) =>
    inStore(first, settings, name, async (driver) => {
      const opened = await openKeysToCheck(first, settings);
      if ('reason' in opened) throw new CommandFailure(opened.reason);
      const store = new EventStore(driver, undefined, opened.proofs);
      await store.ping();
      sayErased(await eraseAgain(store, driver, times));
    }),
  );
}

function sayErased(count: number): void {
  process.stdout.write(`Erased ${counted(count, 'credential or request', 'credentials and requests')} again.\n`);
}

async function readList(file: string): Promise<ErasureTimes> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageFailure(`The list of erasures cannot be read (${codeOf(error)}).`);
  });
  const times = erasureTimesOf(text);
  if ('wrongLine' in times) throw new UsageFailure(`Line ${times.wrongLine} is none of "sealwright erasures list".`);
  return times;
}

/** A store restored from a backup of the time before it had erasure keys has not noted the database yet. */
async function connect(store: EventStore, driver: SqlDriver, keys: SqlDriver): Promise<void> {
  await migrateErasureKeys(keys);
  if ((await notedDatabase(driver)) !== undefined) await assertOwn(driver, keys);
  await noteDatabase(driver, keys);
  const follower = new ErasureFollower(driver, new ErasureKeys(keys));
  store.afterErasure((streamIds) => follower.carryOut(streamIds));
}

/** Returns how many streams were erased. */
async function eraseAgain(store: EventStore, driver: SqlDriver, times: ErasureTimes): Promise<number> {
  const erase = eraserOf(store);
  const line = new ProgressLine();
  let erased = 0;
  const onPage = (checked: number): void => {
    line.show('data keys', checked, undefined);
  };
  for await (const streamIds of streamsToErase(driver, times, onPage)) {
    for (const streamId of streamIds) await erase(streamId);
    erased += streamIds.length;
  }
  line.end();
  return erased;
}
