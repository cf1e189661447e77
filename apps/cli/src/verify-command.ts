import { checkApiKeys } from '@app/access';
import { type Finding, lastCheckpoint, type SqlDriver, type Verified } from '@app/event-store';
import { checkDataKeys, type CheckingKeys, checkKeyRows, SignedCheckpoints } from '@app/keys';
import { checkStatusChanges } from '@app/status';
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { counted } from './counted';
import { withTables } from './database';
import { openStore, withStores } from './stores';
import { existingStore, openKeysToCheck, proofsIn } from './existing-store';
import { codeOf, CommandFailure, UsageFailure } from './failure';
import { PositionFile, resumeOption } from './position-file';
import { ProgressLine } from './progress-line';
import { parallelOf, parallelOption, withThreads } from './store-threads';

interface VerifyOptions {
  readonly checkpoint?: string;
  readonly resume?: string;
  readonly parallel?: string;
  readonly store?: string;
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify-store')
    .option('--checkpoint <file>', 'compare with a checkpoint that "sealwright checkpoint" has printed')
    .option(...resumeOption)
    .option(...parallelOption)
    .option('--store <name>', 'a further store, as "stores list" names it; the first one when absent')
    .description('Checks that stored data is exactly what the service wrote, and lists what is not. Changes nothing.')
    .addHelpText('after', '\nExample:\n  sealwright verify-store --checkpoint kept-on-monday.jws')
    .action(verify);
}

async function verify({ store: name, ...options }: VerifyOptions): Promise<void> {
  if (name === undefined || name === 'first') return verifyFirst(options);
  if (options.checkpoint !== undefined || options.resume !== undefined || options.parallel !== undefined)
    throw new UsageFailure('--store goes with no other option.');
  return withTables((first, settings) =>
    withStores(first, settings, async (stores) => {
      const keys = await openKeysToCheck(first, settings);
      if ('reason' in keys) throw new CommandFailure(keys.reason);
      const driver = openStore(stores, name);
      const line = new ProgressLine();
      const watch = line.watch((text) => process.stdout.write(text));
      let found = 0;
      for await (const finding of findingsIn(driver, keys, line)) {
        found++;
        watch.finding(finding);
      }
      const verified = await existingStore(driver, keys.proofs).verify({
        watch,
        keys: new SignedCheckpoints(keys.checkpoints),
      });
      line.end();
      const summary = summaryOf(verified);
      found += verified.findings;
      if (found > 0)
        throw new CommandFailure(
          `${summary}: ${counted(found, 'finding')}. See "verify-store finds something" in docs/runbook.md.`,
        );
      process.stdout.write(`${summary}.\n`);
    }),
  );
}

async function* findingsIn(driver: SqlDriver, keys: CheckingKeys, line: ProgressLine): AsyncGenerator<Finding> {
  yield* checkDataKeys(driver, keys.roots, (checked) => {
    line.show('data keys', checked, undefined);
  });
  yield* checkStatusChanges(driver, keys.proofs, 'events');
}

function verifyFirst({ checkpoint: file, resume, parallel }: VerifyOptions): Promise<void> {
  const command = 'verify-store';
  const threadCount = parallelOf(parallel);
  return withTables(async (driver, settings) => {
    const kept = file === undefined ? [] : [await readKept(file)];
    const keys = await openKeysToCheck(driver, settings);
    const isOpen = !('reason' in keys);
    const checkpoint = await lastCheckpoint(driver);
    const position = resume === undefined ? undefined : await PositionFile.open(resume, keys, { command, checkpoint });
    const line = new ProgressLine();
    let findings = 0;
    const watch = line.watch((text) => {
      findings++;
      process.stdout.write(text);
    });
    if (isOpen) for await (const found of keyFindings(driver, keys, line)) watch.finding(found);
    if (isOpen && keys.proofs.exist)
      for await (const found of checkStatusChanges(driver, keys.proofs, 'events')) watch.finding(found);
    const store = existingStore(driver, proofsIn(keys, command));
    const verified = await withThreads(driver, settings, { command, parallel: threadCount }, (threads) =>
      store.verify({
        ...{ watch, ...threads, reached: (reached) => position?.note(reached) },
        from: position?.from && { ...position.from, checkpoint: position.start.checkpoint },
        ...(isOpen && { keys: new SignedCheckpoints(keys.checkpoints), kept }),
      }),
    );
    await position?.remove();
    line.end();
    const summary = summaryOf(verified);
    if (findings > 0) {
      throw new CommandFailure(
        `${summary}: ${counted(findings, 'finding')}. "sealwright rebuild" repairs states, status lists and missing used values; ` +
          'restore everything else from a backup, see "verify-store finds something" in docs/runbook.md.',
      );
    }
    if (!isOpen && verified.events > 0) {
      throw new CommandFailure(`${summary}; proofs and checkpoints could not be checked. ${keys.reason}`);
    }
    const resumed = position?.from
      ? `${counted(position.from.events, 'event')} of them in a run that began at ${position.start.begunAt}.\n`
      : '';
    process.stdout.write(`${summary}: everything is as it was written.\n${resumed}${remarksOn(verified)}`);
  });
}

async function readKept(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageFailure(
      `The file with the kept checkpoint cannot be read (${codeOf(error)}): make the first one with "sealwright checkpoint > <file>".`,
    );
  });
  if (text.trim() !== '') return text;
  throw new UsageFailure('The file with the kept checkpoint is empty: take one that was kept before.');
}

async function* keyFindings(driver: SqlDriver, keys: CheckingKeys, line: ProgressLine): AsyncGenerator<Finding> {
  yield* checkKeyRows(driver, keys);
  yield* checkApiKeys(driver, keys.proofs);
  yield* checkDataKeys(driver, keys.roots, (checked) => {
    line.show('data keys', checked, undefined);
  });
}

function summaryOf({ streams, events, usedValues, checkpoints }: Verified): string {
  const parts = [counted(streams, 'stream'), counted(events, 'event'), counted(usedValues, 'used value')];
  return `Verified ${parts.join(', ')} and ${counted(checkpoints?.checkpoints ?? 0, 'checkpoint')}`;
}

function remarksOn({ checkpoints }: Verified): string {
  const { uncovered = 0 } = checkpoints ?? {};
  return uncovered > 0 ? `${counted(uncovered, 'event')} since the last checkpoint.\n` : '';
}
