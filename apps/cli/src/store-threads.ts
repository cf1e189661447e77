import type { Settings } from '@app/config';
import { type RangeResult, type RangeWorker, roughCount, type SqlDriver } from '@app/event-store';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CommandFailure, UsageFailure } from './failure';

/** Commands that go through all streams. */
export type StoreCommand = 'verify-store' | 'rebuild';

/** What a thread is started with. */
export interface ThreadTask {
  readonly command: StoreCommand;
  readonly connectionString: string;
  readonly strongholdPassword: string;
}

/** What a thread answers to a range of streams. */
export type RangeAnswer = { readonly result: RangeResult } | { readonly failure: string };

/** Events below which starting threads, each of which opens the keys, takes longer than the work. */
const fewEvents = 20_000;
/** More would keep a server busy that has to serve wallets meanwhile. */
const most = 8;

export const parallelOption = [
  '--parallel <threads>',
  'how many threads work at once; by default one for each core, 8 at most',
] as const;

/** Throws `UsageFailure`. */
export function parallelOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new UsageFailure('--parallel is a number of threads from 1 to 99.');
}

/**
 * Does the work with threads, ended afterwards, each with a connection of its own; with none, so that this process does it,
 * where the database is embedded or has few events.
 */
export async function withThreads<T>(
  driver: SqlDriver,
  { eventStore, secretManager }: Pick<Settings, 'eventStore' | 'secretManager'>,
  { command, parallel }: { readonly command: StoreCommand; readonly parallel: number | undefined },
  work: (threads: { readonly workers?: readonly RangeWorker[] }) => Promise<T>,
): Promise<T> {
  if (eventStore.type === 'embedded') return work({});
  const isSmall = parallel === undefined && (await roughCount(driver)) < fewEvents;
  const count = isSmall ? 1 : (parallel ?? Math.min(availableParallelism(), most));
  if (count === 1) return work({});
  const { connectionString } = eventStore;
  const task = { command, connectionString, strongholdPassword: secretManager.strongholdPassword };
  const threads = Array.from({ length: count }, () => startThread(task));
  try {
    return await work({ workers: threads.map(workerOf) });
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

function startThread(task: ThreadTask): Worker {
  return new Worker(join(__dirname, 'store-thread.worker.js'), { workerData: task });
}

/** One range at a time. */
function workerOf(thread: Worker): RangeWorker {
  let settle: ((answer: RangeAnswer) => void) | undefined;
  let ended: string | undefined;
  const end = (failure: string): void => {
    ended ??= failure;
    settle?.({ failure: ended });
  };
  thread.on('message', (answer: RangeAnswer) => settle?.(answer));
  thread.on('error', (error) => {
    end(error.message);
  });
  thread.on('exit', () => {
    end('A thread ended early.');
  });
  return async (range) => {
    const answer = await new Promise<RangeAnswer>((resolve) => {
      settle = resolve;
      if (ended === undefined) thread.postMessage(range);
      else resolve({ failure: ended });
    });
    if ('failure' in answer) throw new CommandFailure(answer.failure);
    return answer.result;
  };
}
