import { apart } from '@app/primitives/context';
import { type SchemaCheck, type CheckOutcome, CheckThread } from './check-thread';
import { callerNow, FairQueue } from './fair-queue';

/** Threads that share a queue of checks. */
export class CheckLane {
  private readonly threads: readonly CheckThread[];
  private readonly free: Set<CheckThread>;
  private readonly queue: FairQueue;

  /** @param longest milliseconds of one check */
  constructor({ threads, longest }: { readonly threads: number; readonly longest: number }) {
    this.threads = Array.from({ length: threads }, () => new CheckThread(longest));
    this.free = new Set(this.threads);
    this.queue = new FairQueue(threads);
  }

  /**
   * `undefined` when the check was no longer needed when its turn came. Rejects with the Problem `unavailable` when too
   * many checks wait.
   * @param caller on whose behalf it is done
   */
  run(check: SchemaCheck, isWanted: () => boolean, caller = callerNow()): Promise<CheckOutcome | undefined> {
    const owner = { caller, subject: check.key };
    const work = () => (isWanted() ? this.work(check) : Promise.resolve(undefined));
    // It may start a thread.
    return apart(() => this.queue.run(owner, work));
  }

  async end(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.end()));
  }

  private async work(check: SchemaCheck): Promise<CheckOutcome> {
    const free = [...this.free];
    const thread = free.find((one) => one.hasCompiled(check.key)) ?? free.find((one) => one.isRunning) ?? free[0];
    // The queue begins no more work than there are threads.
    if (!thread) throw new Error('there is no free thread');
    this.free.delete(thread);
    try {
      return await thread.run(check);
    } finally {
      this.free.add(thread);
    }
  }
}
