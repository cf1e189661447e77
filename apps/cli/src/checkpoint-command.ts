import { lastCheckpoint } from '@app/event-store';
import type { Command } from 'commander';
import { withTables } from './database';
import { CommandFailure } from './failure';

export function addCheckpointCommand(program: Command): void {
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
