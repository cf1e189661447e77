import { adoptRestoredHistory, EventStore, migrate, type Rebuilt } from '@app/event-store';
import type { Command } from 'commander';
import { registerAggregates } from './aggregates';
import { withDatabase, withTables } from './database';
import { CommandFailure } from './failure';

/** The tables and what stands in them. */
export function addStoreCommands(program: Command): void {
  program
    .command('migrate')
    .description('Brings the tables of the database up to date; the service does the same when it starts.')
    .addHelpText('after', '\nExample:\n  sealwright migrate')
    .action(migrateTables);
  program
    .command('rebuild')
    .description('Folds every state again from its events and stores what differs; the service may go on meanwhile.')
    .addHelpText('after', '\nExample:\n  sealwright rebuild')
    .action(rebuild);
  program
    .command('verify-store')
    .description('Compares every state with its events folded again; changes nothing. Lists the streams that differ.')
    .addHelpText('after', '\nExample:\n  sealwright verify-store')
    .action(verify);
}

function migrateTables(): Promise<void> {
  return withDatabase(async (driver) => {
    const { from, to } = await migrate(driver);
    await adoptRestoredHistory(driver);
    const done = from === to ? `have version ${to} already; nothing to do` : `went from version ${from} to ${to}`;
    process.stdout.write(`The tables ${done}.\n`);
  });
}

function rebuild(): Promise<void> {
  return withStore(async (store) => {
    const { streams, events, differing } = await store.rebuild();
    process.stdout.write(
      `Folded ${counted(streams, 'state')} from ${counted(events, 'event')}; ${differing.length} differed.\n`,
    );
    writeStreams({ differing });
  });
}

function verify(): Promise<void> {
  return withStore(async (store) => {
    const { streams, events, differing } = await store.verify();
    const compared = `Compared ${counted(streams, 'state')} with ${counted(events, 'event')}`;
    if (differing.length === 0) {
      process.stdout.write(`${compared}: all are what the events say.\n`);
      return;
    }
    writeStreams({ differing });
    throw new CommandFailure(`${compared}: ${differing.length} differ; "sealwright rebuild" puts that right.`);
  });
}

function withStore(work: (store: EventStore) => Promise<void>): Promise<void> {
  return withTables(async (driver) => {
    const store = new EventStore(driver);
    registerAggregates(store);
    await work(store);
  });
}

function writeStreams({ differing }: Pick<Rebuilt, 'differing'>): void {
  process.stdout.write(differing.map((id) => `${id}\n`).join(''));
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
