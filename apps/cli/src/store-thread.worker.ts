import 'reflect-metadata';
import { connectDriver, type StreamRange } from '@app/event-store';
import { parentPort, workerData } from 'node:worker_threads';
import { existingStore, openKeysToCheck, proofsIn } from './existing-store';
import { sentenceOf } from './failure';
import type { RangeAnswer, ThreadTask } from './store-threads';

/** A thread of `verify-store` or `rebuild`: a connection of its own, and one range of streams after another. */
async function work(port: NonNullable<typeof parentPort>, task: ThreadTask): Promise<void> {
  const { connectionString, strongholdPassword, command } = task;
  const driver = await connectDriver({ type: 'postgres', connectionString, poolSize: 1 });
  const keys = await openKeysToCheck(driver, { secretManager: { strongholdPassword } });
  const store = existingStore(driver, proofsIn(keys, command));
  const answer = async (range: StreamRange): Promise<RangeAnswer> => {
    try {
      return { result: command === 'rebuild' ? await store.rebuildRange(range) : await store.verifyRange(range) };
    } catch (error) {
      return { failure: sentenceOf(error) };
    }
  };
  port.on('message', (range: StreamRange) => {
    void answer(range).then((result) => {
      port.postMessage(result);
    });
  });
}

if (parentPort) void work(parentPort, workerData as ThreadTask);
