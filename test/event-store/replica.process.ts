import { randomUUID } from 'node:crypto';
import { AlreadyConsumedError, EventStore, openDriver, type EventStoreOptions } from '@app/event-store';
import { open, repositories } from './accounts';

/** Half of what the queue of a store takes. */
const mostWaiting = 1_000;

interface Job {
  readonly codes: readonly string[];
  readonly parallel: number;
}

async function main(): Promise<void> {
  const store = new EventStore(await openDriver(JSON.parse(process.argv[2] ?? '{}') as EventStoreOptions));
  const { accounts } = repositories(store);
  const attempt = async (code: string): Promise<number> => {
    try {
      await store.transact(() =>
        accounts.save(randomUUID(), 0, [open(code)], { consume: [{ kind: 'code', hash: Buffer.from(code, 'hex') }] }),
      );
      return 1;
    } catch (error) {
      if (error instanceof AlreadyConsumedError && error.kind === 'code') return 0;
      throw error;
    }
  };
  const attemptTogether = async (code: string, parallel: number): Promise<number> => {
    const results = await Promise.all(Array.from({ length: parallel }, () => attempt(code)));
    return results.reduce((sum, one) => sum + one, 0);
  };
  const redeem = async ({ codes, parallel }: Job): Promise<number[]> => {
    const counts: number[] = [];
    // More at once than the writers' queue takes would be refused.
    const together = Math.max(1, Math.floor(mostWaiting / parallel));
    for (let next = 0; next < codes.length; next += together) {
      const some = codes.slice(next, next + together);
      counts.push(...(await Promise.all(some.map((code) => attemptTogether(code, parallel)))));
    }
    return counts;
  };
  process.on('message', (job: Job) => {
    void redeem(job).then((counts) => process.send?.(counts));
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

void main();
