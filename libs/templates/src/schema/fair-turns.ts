import type { Awaitable } from '@app/primitives/awaitable';

/** Milliseconds of work in one turn of the event loop. */
const longestTurn = 10;

let spent = 0;

/**
 * Does short work in this thread, after other requests had their turn if much of it was done in this one already: the
 * items of a batch can all become ready at once.
 */
export function inTurn<T>(work: () => T): Awaitable<T> {
  return spent >= longestTurn ? new Promise(setImmediate).then(() => inTurn(work)) : now(work);
}

function now<T>(work: () => T): T {
  const before = performance.now();
  try {
    return work();
  } finally {
    if (spent === 0) setImmediate(() => (spent = 0));
    spent += performance.now() - before;
  }
}
