import type { Settings } from '@app/config';
import {
  assertOwn,
  ErasureKeys,
  forgetDatabase,
  migrateErasureKeys,
  noteDatabase,
  othersConnected,
  type SqlDriver,
} from '@app/event-store';
import { addErasureKeys, type ChangedDataKeys, type CheckingKeys, removeErasureKeys } from '@app/keys';
import type { Command } from 'commander';
import { counted } from './counted';
import { withTables } from './database';
import { everyFurther, withStores } from './stores';
import { withErasureKeys } from './erasure-key-database';
import { openKeysToCheck } from './existing-store';
import { CommandFailure } from './failure';
import { ProgressLine } from './progress-line';

/** The data keys of a store and its erasure keys. */
export function addErasureKeyCommands(program: Command): void {
  const keys = program
    .command('erasure-keys')
    .description('Erasure keys, in the database of SERVICE__ERASURE_KEYS__CONNECTION_STRING.')
    .helpCommand(false);
  keys
    .command('add')
    .description('Seals the data keys from before under erasure keys, too; the service may run. May be repeated.')
    .addHelpText('after', '\nExample:\n  sealwright erasure-keys add')
    .action(() => change(add));
  keys
    .command('remove')
    .description('Takes the data keys out from under their erasure keys, with the service stopped. May be repeated.')
    .addHelpText('after', '\nExample:\n  sealwright erasure-keys remove')
    .action(() => change(remove));
}

/** Both databases, and what opens the data keys. */
interface Databases {
  readonly store: SqlDriver;
  readonly keys: SqlDriver;
  readonly roots: CheckingKeys['roots'];
}

function change(work: (databases: Databases) => Promise<void>): Promise<void> {
  return withTables((store, settings) =>
    withErasureKeys(settings, async (keys) => {
      await assertOneStore(store, settings);
      if (!keys) throw new CommandFailure('Set SERVICE__ERASURE_KEYS__CONNECTION_STRING first.');
      await migrateErasureKeys(keys);
      await assertOwn(store, keys);
      await work({ store, keys, roots: await rootsOf(store, settings) });
    }),
  );
}

/** It would leave data keys in further stores as they are. */
async function assertOneStore(store: SqlDriver, settings: Settings): Promise<void> {
  const further = await withStores(store, settings, (stores) => everyFurther(store, settings, stores, 'This'));
  if (further.length === 0) return;
  throw new CommandFailure(
    'This changes data keys in the first store alone: move all tenants there ("sealwright tenants move"), take the files out of SERVICE__STORES__DIRECTORY, and repeat it.',
  );
}

async function rootsOf(store: SqlDriver, settings: Settings): Promise<CheckingKeys['roots']> {
  const opened = await openKeysToCheck(store, settings);
  if ('reason' in opened) throw new CommandFailure(opened.reason);
  return opened.roots;
}

async function add({ store, keys, roots }: Databases): Promise<void> {
  await noteDatabase(store, keys);
  const line = new ProgressLine();
  const done = await addErasureKeys(store, roots, new ErasureKeys(keys), (checked) => {
    line.show('data keys', checked, undefined);
  });
  line.end();
  process.stdout.write(`Sealed ${counted(done.changed, 'data key')} under erasure keys.\n`);
  failWith(done);
}

async function remove({ store, keys, roots }: Databases): Promise<void> {
  if ((await othersConnected(store)) > 0)
    throw new CommandFailure('The service is connected to the database: stop all replicas, and repeat this.');
  const line = new ProgressLine();
  const done = await removeErasureKeys(store, roots, new ErasureKeys(keys), (checked) => {
    line.show('data keys', checked, undefined);
  });
  line.end();
  process.stdout.write(`Took ${counted(done.changed, 'data key')} out from under erasure keys.\n`);
  failWith(done);
  await forgetDatabase(store);
  process.stdout.write('Remove SERVICE__ERASURE_KEYS__CONNECTION_STRING before you start the service.\n');
}

function failWith({ closed }: ChangedDataKeys): void {
  if (closed.length === 0) return;
  process.stdout.write(closed.map((streamId) => `${streamId}\n`).join(''));
  throw new CommandFailure(
    `${counted(closed.length, 'data key')} cannot be opened and ${closed.length === 1 ? 'was' : 'were'} left as before. ` +
      'Erase those streams, or restore their keys.',
  );
}
