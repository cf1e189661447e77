import { randomUUID } from 'node:crypto';
import { AlreadyConsumedError, EventStore, openDriver, type EventStoreOptions } from '@app/event-store';
import { open, repositories } from './accounts';

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
  process.on('message', ({ codes, parallel }: Job) => {
    const attempts = codes.map(async (code) => {
      const results = await Promise.all(Array.from({ length: parallel }, () => attempt(code)));
      return results.reduce((sum, one) => sum + one, 0);
    });
    void Promise.all(attempts).then((counts) => process.send?.(counts));
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

void main();
