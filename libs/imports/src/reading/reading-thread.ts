import { apart } from '@app/primitives/context';
import { Worker } from 'node:worker_threads';
import { readingThreadProgram } from './reading-thread-program';
import { type TableRow, UnreadableFileError } from './table';

export type FromReader =
  | { readonly kind: 'table'; readonly headers: readonly string[]; readonly readAs: string; readonly count: number }
  | { readonly kind: 'rows'; readonly rows: readonly TableRow[] }
  | { readonly kind: 'unreadable'; readonly words: string };

/** MiB of the thread's heap. The file itself, and what it is unpacked to, are not in it. */
const largestHeap = 400;
const longestMs = 60_000;

/** What a file says, a page after the other. */
export interface FileInReading {
  readonly headers: readonly string[];
  readonly readAs: string;
  readonly count: number;
  /** The next rows; none at the end. */
  next(): Promise<readonly TableRow[]>;
  end(): Promise<void>;
}

/** Reads a file in a thread of its own, so that nothing else waits. Rejects with `UnreadableFileError`. */
export async function readInThread(file: Buffer): Promise<FileInReading> {
  const worker = apart(
    () =>
      new Worker(readingThreadProgram, {
        env: {},
        execArgv: [],
        workerData: file,
        resourceLimits: { maxOldGenerationSizeMb: largestHeap },
      }),
  );
  try {
    const first = await answerOf(worker);
    if (first.kind !== 'table') throw new Error('The reader has begun with rows.');
    const next = async (): Promise<readonly TableRow[]> => {
      const answer = answerOf(worker);
      worker.postMessage('next');
      const page = await answer;
      if (page.kind !== 'rows') throw new Error('The reader has begun again.');
      return page.rows;
    };
    const end = async (): Promise<void> => {
      await worker.terminate();
    };
    const { headers, readAs, count } = first;
    return { headers, readAs, count, next, end };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function answerOf(worker: Worker): Promise<Exclude<FromReader, { kind: 'unreadable' }>> {
  return new Promise((resolve, reject) => {
    const fail = (words: string): void => {
      leave();
      reject(new UnreadableFileError(words));
    };
    const listen = (message: FromReader): void => {
      if (message.kind === 'unreadable') {
        fail(message.words);
        return;
      }
      leave();
      resolve(message);
    };
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') fail('The file holds too much to be read at once: divide it.');
      else fail('The file could not be read: save it as .xlsx or as CSV.');
    };
    const ended = (): void => {
      fail('The file could not be read: save it as .xlsx or as CSV.');
    };
    const late = setTimeout(() => {
      fail('The file takes too long to read: divide it.');
    }, longestMs);
    const leave = (): void => {
      clearTimeout(late);
      worker.off('message', listen).off('error', failed).off('exit', ended);
      worker.on('error', () => undefined);
    };
    worker.on('message', listen).on('error', failed).on('exit', ended);
  });
}
