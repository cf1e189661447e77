/** Milliseconds: timers may come a moment early. */
const precision = 5;

/** Until when the client of the current work waits for it. */
export class Deadline {
  private at: number;
  private hasEnded = false;
  private isAbandoned = false;
  // What an AbortSignal would do, at a tenth of its cost: every request has one.
  private readonly waiting = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;

  /** @param budget milliseconds from now on */
  constructor(private readonly budget: number) {
    this.at = performance.now() + budget;
    this.timer = setTimeout(() => {
      this.announce();
    }, budget).unref();
  }

  /** Milliseconds that are left; 0 once it has passed or the client has disconnected. */
  get left(): number {
    return this.hasEnded ? 0 : Math.max(0, this.at - performance.now());
  }

  /** Whether it ends because of the time, and not because the client disconnected. */
  get hasPassed(): boolean {
    return performance.now() > this.at - precision;
  }

  /** Gives the whole budget again, from now on, also after it has passed; not to a client that has disconnected. */
  restart(): void {
    if (this.isAbandoned) return;
    this.hasEnded = false;
    this.at = performance.now() + this.budget;
    this.timer.refresh();
  }

  /** The client has disconnected. */
  end(): void {
    this.isAbandoned = true;
    clearTimeout(this.timer);
    this.announce();
  }

  /** The answer is out: nothing waits for it any more. */
  release(): void {
    clearTimeout(this.timer);
  }

  /**
   * Calls `work` once when it ends.
   * @returns cancels that
   */
  onEnd(work: () => void): () => void {
    this.waiting.add(work);
    return () => {
      this.waiting.delete(work);
    };
  }

  private announce(): void {
    this.hasEnded = true;
    for (const work of this.waiting) work();
    this.waiting.clear();
  }
}

/** Returns the deadline of the current work; `undefined` for background work. */
export type CurrentDeadline = () => Deadline | undefined;

export const noDeadline: CurrentDeadline = () => undefined;

/** Milliseconds that are left; `Infinity` without a deadline, 0 once it has passed or the client has disconnected. */
export function remaining(deadline: Deadline | undefined): number {
  return deadline === undefined ? Infinity : deadline.left;
}

/**
 * Calls `work` once when the deadline passes or the client disconnects.
 * @returns cancels that
 */
export function onEnd(deadline: Deadline | undefined, work: () => void): () => void {
  return deadline?.onEnd(work) ?? (() => undefined);
}
