import { Problem } from '@app/problem-details';
import { type Check, type CheckOutcome, CheckThread } from './check-thread';

/** Checks that wait, of one schema and of all. */
const mostOfOneSchema = 300;
const mostOfAll = 1000;

interface Waiting {
  readonly check: Check;
  /** Asked when its turn has come. */
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: CheckOutcome | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Threads that share a queue. One schema has one thread at a time and the schemas take turns: however many checks of a
 * slow schema wait, those of another one wait for few of them.
 */
export class CheckLane {
  private readonly threads: readonly CheckThread[];
  private readonly free: Set<CheckThread>;
  /** By schema; the one whose turn is next comes first. */
  private readonly queues = new Map<string, Waiting[]>();
  private readonly underWay = new Set<string>();
  private waiting = 0;

  /** @param longest milliseconds of one check */
  constructor({ threads, longest }: { readonly threads: number; readonly longest: number }) {
    this.threads = Array.from({ length: threads }, () => new CheckThread(longest));
    this.free = new Set(this.threads);
  }

  /**
   * `undefined` when the check was not wanted any more when its turn came. Rejects with the Problem `claims-not-checked`
   * when too many checks wait.
   */
  run(check: Check, isWanted: () => boolean): Promise<CheckOutcome | undefined> {
    const queue = this.queues.get(check.key) ?? [];
    if (queue.length >= mostOfOneSchema || this.waiting >= mostOfAll) {
      const detail = 'Too many checks of claims are waiting at the moment. Send the request again in a moment.';
      return Promise.reject(new Problem('claims-not-checked', detail, [], { 'Retry-After': '2' }));
    }
    return new Promise((resolve, reject) => {
      queue.push({ check, isWanted, resolve, reject });
      this.queues.set(check.key, queue);
      this.waiting++;
      this.goOn();
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.end()));
  }

  private goOn(): void {
    for (const [key, queue] of this.queues) {
      const [anyThread] = this.free;
      if (!anyThread) return;
      if (this.underWay.has(key)) continue;
      const next = this.nextOf(queue);
      if (queue.length === 0) this.queues.delete(key);
      if (next) void this.work([...this.free].find((one) => one.hasCompiled(key)) ?? anyThread, next);
    }
  }

  private nextOf(queue: Waiting[]): Waiting | undefined {
    for (let next = queue.shift(); next; next = queue.shift()) {
      this.waiting--;
      if (next.isWanted()) return next;
      next.resolve(undefined);
    }
    return undefined;
  }

  private async work(thread: CheckThread, { check, resolve, reject }: Waiting): Promise<void> {
    const { key } = check;
    this.free.delete(thread);
    this.underWay.add(key);
    try {
      resolve(await thread.run(check));
    } catch (error) {
      reject(error);
    }
    this.free.add(thread);
    this.underWay.delete(key);
    const others = this.queues.get(key);
    if (others) {
      // To the end: it is the turn of the other schemas.
      this.queues.delete(key);
      this.queues.set(key, others);
    }
    this.goOn();
  }
}
