import { parentPort, workerData } from 'node:worker_threads';
import { readTable } from './read-table';
import type { FromReader } from './reading-thread';
import { type Table, UnreadableFileError } from './table';

// The program of a thread that reads one file. reading-thread.ts starts and ends it.

const pageSize = 500;

function say(message: FromReader): void {
  parentPort?.postMessage(message);
}

/** A page at a time, as the other side asks. */
function hand({ headers, rows, readAs }: Table): void {
  let at = 0;
  parentPort?.on('message', () => {
    say({ kind: 'rows', rows: rows.slice(at, (at += pageSize)) });
  });
  say({ kind: 'table', headers, readAs, count: rows.length });
}

readTable(Buffer.from(workerData as Uint8Array)).then(hand, (error: unknown) => {
  if (!(error instanceof UnreadableFileError)) throw error;
  say({ kind: 'unreadable', words: error.message });
});
