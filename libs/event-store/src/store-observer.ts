import { AlreadyConsumedError, ConflictError, OutcomeUnknownError, WorkDroppedError } from './errors';

/** `dropped`: given up before it was sent; `unknown`: sent, with an unknown outcome. */
export type AppendOutcome = 'stored' | 'conflict' | 'failed' | 'dropped' | 'unknown';

/** A stream as a unit of work has left it, with the events it added; none when the unit has only read it. */
export interface AppendedStream {
  readonly category: string;
  readonly state: unknown;
  readonly events: readonly { readonly type: string }[];
}

/**
 * Called for each unit of work when its outcome is known.
 * @param seconds from the hand-over to the answer of the database
 * @param streams of a unit that was stored; none otherwise
 */
export type StoreObserver = (outcome: AppendOutcome, seconds: number, streams: Iterable<AppendedStream>) => void;

export function outcomeOf(error: unknown): AppendOutcome {
  if (error instanceof WorkDroppedError) return 'dropped';
  if (error instanceof OutcomeUnknownError) return 'unknown';
  return error instanceof ConflictError || error instanceof AlreadyConsumedError ? 'conflict' : 'failed';
}

/** @param begin on the clock of `performance.now()` */
export function report(
  observer: StoreObserver | undefined,
  outcome: AppendOutcome,
  begin: number,
  streams: Iterable<AppendedStream>,
): void {
  try {
    observer?.(outcome, (performance.now() - begin) / 1000, streams);
  } catch {
    // What is stored is stored: an observer must not turn it into a failure.
  }
}
