import type { Settings } from '@app/config';
import { type Provers, SqlError, type SqlDriver } from '@app/event-store';
import { rebuildStatusChanges } from '@app/status';
import type { Command } from 'commander';
import { counted } from './counted';
import { withTables } from './database';
import { existingStore, openKeysToCheck, proofsIn } from './existing-store';
import { CommandFailure, UsageFailure } from './failure';
import { PositionFile, resumeOption } from './position-file';
import { ProgressLine } from './progress-line';
import { inStore, isFurther, storeOption } from './stores';
import { parallelOf, parallelOption, withThreads } from './store-threads';

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .description(
      'Folds every state again from its events and stores differences and missing used values, also of the ' +
        'status lists; ' +
        'the service may keep running.',
    )
    .option(...resumeOption)
    .option(...parallelOption)
    .option(...storeOption)
    .addHelpText('after', '\nExample:\n  sealwright rebuild')
    .action(rebuild);
}

interface RebuildOptions {
  readonly resume?: string;
  readonly parallel?: string;
  readonly store?: string;
}

async function rebuild({ store, ...options }: RebuildOptions): Promise<void> {
  if (isFurther(store) && (options.resume !== undefined || options.parallel !== undefined))
    throw new UsageFailure('--store goes with no other option.');
  // Threads connect to the first store.
  const threadCount = isFurther(store) ? 1 : parallelOf(options.parallel);
  return withTables(async (first, settings) => {
    const keys = await openKeysToCheck(first, settings);
    if (isFurther(store) && 'reason' in keys) throw new CommandFailure(keys.reason);
    await inStore(first, settings, store, (driver) =>
      rebuildIn(driver, { settings, keys, threadCount, resume: options.resume }),
    );
  });
}

interface Rebuilding {
  readonly settings: Settings;
  readonly keys: Awaited<ReturnType<typeof openKeysToCheck>>;
  readonly threadCount: number | undefined;
  readonly resume: string | undefined;
}

async function rebuildIn(driver: SqlDriver, { settings, keys, threadCount, resume }: Rebuilding): Promise<void> {
  const command = 'rebuild';
  const position =
    resume === undefined ? undefined : await PositionFile.open(resume, keys, { command, checkpoint: undefined });
  const store = existingStore(driver, proofsIn(keys, command));
  const line = new ProgressLine();
  const watch = line.watch((text) => process.stderr.write(text));
  const { streams, events, differing, restored, findings } = await withThreads(
    driver,
    settings,
    { command, parallel: threadCount },
    (threads) =>
      store.rebuild({ watch, ...threads, from: position?.from, reached: (reached) => position?.note(reached) }),
  );
  await position?.remove();
  line.end();
  const values = restored > 0 ? ` ${counted(restored, 'used value')} came back.` : '';
  process.stdout.write(
    `Folded ${counted(streams, 'state')} from ${counted(events, 'event')}; ${differing.length} differed.${values}\n`,
  );
  process.stdout.write(differing.map((id) => `${id}\n`).join(''));
  const lists = await rebuildLists(driver, proofsIn(keys, command));
  if (lists.length > 0) process.stdout.write(`${counted(lists.length, 'status list')} differed from the events.\n`);
  if ('reason' in keys && restored > 0) process.stderr.write(`Without proofs: ${keys.reason}\n`);
  if (findings.length > 0) {
    throw new CommandFailure(`${counted(findings.length, 'stream')} cannot be folded and were left unchanged.`);
  }
}

async function rebuildLists(driver: SqlDriver, proofs: Provers | undefined): Promise<readonly string[]> {
  try {
    return await rebuildStatusChanges(driver, proofs);
  } catch (error) {
    // 42501: insufficient privilege
    if (!(error instanceof SqlError) || error.code !== '42501') throw error;
    throw new CommandFailure(
      'Status lists differ from the events, and only the owner of the tables can make them again: set ' +
        'SERVICE__EVENT_STORE__CONNECTION_STRING with the owner, and repeat this.',
    );
  }
}
