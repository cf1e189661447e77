import { adoptRestoredHistory, migrate } from '@app/event-store';
import type { Command } from 'commander';
import { addCheckpointCommand } from './checkpoint-command';
import { withDatabase } from './database';
import { addRebuildCommand } from './rebuild-command';
import { addVerifyCommand } from './verify-command';

/** The tables and their contents. */
export function addStoreCommands(program: Command): void {
  program
    .command('migrate')
    .description('Brings the tables of the database up to date; the service does the same when it starts.')
    .addHelpText('after', '\nExample:\n  sealwright migrate')
    .action(migrateTables);
  addRebuildCommand(program);
  addVerifyCommand(program);
  addCheckpointCommand(program);
}

function migrateTables(): Promise<void> {
  return withDatabase(async (driver) => {
    const { from, to } = await migrate(driver);
    await adoptRestoredHistory(driver);
    const done = from === to ? `already have version ${to}; nothing to do` : `went from version ${from} to ${to}`;
    process.stdout.write(`The tables ${done}.\n`);
  });
}
