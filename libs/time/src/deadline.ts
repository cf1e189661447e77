/** Until when the client of the current work waits for it. */
export interface Deadline {
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly at: number;
  /** Aborted at that time, or earlier when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Returns the deadline of the current work; `undefined` for background work. */
export type CurrentDeadline = () => Deadline | undefined;

export const noDeadline: CurrentDeadline = () => undefined;

/** Milliseconds that are left; `Infinity` without a deadline, 0 once it has passed or the client has disconnected. */
export function remaining(deadline: Deadline | undefined): number {
  if (deadline === undefined) return Infinity;
  return deadline.signal.aborted ? 0 : Math.max(0, deadline.at - performance.now());
}

/**
 * Calls `work` once when the deadline passes or the client disconnects.
 * @returns cancels that
 */
export function onEnd(deadline: Deadline | undefined, work: () => void): () => void {
  deadline?.signal.addEventListener('abort', work, { once: true });
  return () => deadline?.signal.removeEventListener('abort', work);
}
