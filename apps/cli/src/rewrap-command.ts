import { rewrap } from '@app/keys';
import { counted } from './counted';
import { withTables } from './database';
import { CommandFailure } from './failure';
import { ProgressLine } from './progress-line';

/** Milliseconds within which every replica has read the key store. */
const readWithin = 5_000;
/** Milliseconds: the lease of a replica that does not get to look, and some for its last statement. */
const lease = 20_000;

/** Changes the root key, says what happens on stderr, and fails when a key cannot be opened. */
export function rewrapKeys(): Promise<void> {
  return withTables(async (driver, { secretManager: { strongholdPassword }, http: { requestSeconds } }) => {
    const line = new ProgressLine();
    let dataKeys = 0;
    // An embedded database is this process's alone.
    const isShared = driver.kind === 'postgres';
    const pauses = isShared
      ? { knownMs: readWithin, settledMs: lease + requestSeconds * 1_000 }
      : { knownMs: 0, settledMs: 0 };
    const { closed } = await rewrap(driver, strongholdPassword, pauses, {
      step: (said) => {
        line.end();
        process.stderr.write(`${said}\n`);
      },
      dataKeys: (done) => {
        line.show('data keys', done, undefined);
        dataKeys = done;
      },
    });
    line.end();
    process.stdout.write(`A new root key is active, with ${counted(dataKeys, 'data key')} sealed under it.\n`);
    if (closed.length === 0) return;
    process.stdout.write(closed.map((key) => `${key}\n`).join(''));
    throw new CommandFailure(
      `${counted(closed.length, 'key')} cannot be opened, as before: see "sealwright verify-store".`,
    );
  });
}
