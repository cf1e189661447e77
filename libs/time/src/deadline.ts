/** How long whoever asked for the present work waits for it. */
export interface Deadline {
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly at: number;
  /** Aborted at that time, or earlier when the client has closed its connection. */
  readonly signal: AbortSignal;
}

/** The deadline of the work in which it is called; `undefined` for work that nobody waits for. */
export type CurrentDeadline = () => Deadline | undefined;

export const noDeadline: CurrentDeadline = () => undefined;

/** Milliseconds that are left; `Infinity` without a deadline, 0 once it has passed or the client has gone. */
export function remaining(deadline: Deadline | undefined): number {
  if (deadline === undefined) return Infinity;
  return deadline.signal.aborted ? 0 : Math.max(0, deadline.at - performance.now());
}

/** Calls back once when the deadline passes or the client goes, unless the function that is returned was called before. */
export function onEnd(deadline: Deadline | undefined, work: () => void): () => void {
  deadline?.signal.addEventListener('abort', work, { once: true });
  return () => deadline?.signal.removeEventListener('abort', work);
}
