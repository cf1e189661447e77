import type { Command } from 'commander';
import { counted } from './counted';
import { withTables } from './database';
import { existingStore, openKeysToCheck } from './existing-store';
import { CommandFailure } from './failure';
import { ProgressLine } from './progress-line';

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .description(
      'Folds every state again from its events and stores differences and missing used values; ' +
        'the service may keep running.',
    )
    .addHelpText('after', '\nExample:\n  sealwright rebuild')
    .action(rebuild);
}

function rebuild(): Promise<void> {
  return withTables(async (driver, settings) => {
    const keys = await openKeysToCheck(driver, settings);
    // Before the first start of this release there is no key of proofs, and nothing is proven.
    const proofs = 'reason' in keys || !keys.proofs.exist ? undefined : keys.proofs;
    const store = existingStore(driver, proofs);
    const line = new ProgressLine();
    const { streams, events, differing, restored, findings } = await store.rebuild({
      finding: ({ subject, fault }) => {
        line.end();
        process.stderr.write(`${subject}: ${fault}\n`);
      },
      progress: (...progress) => {
        line.show(...progress);
      },
    });
    line.end();
    const values = restored > 0 ? ` ${counted(restored, 'used value')} came back.` : '';
    process.stdout.write(
      `Folded ${counted(streams, 'state')} from ${counted(events, 'event')}; ${differing.length} differed.${values}\n`,
    );
    process.stdout.write(differing.map((id) => `${id}\n`).join(''));
    if ('reason' in keys && restored > 0) process.stderr.write(`Without proofs: ${keys.reason}\n`);
    if (findings.length > 0) {
      throw new CommandFailure(`${counted(findings.length, 'stream')} cannot be folded and were left unchanged.`);
    }
  });
}
