import { setTimeout as delay } from 'node:timers/promises';

/** A failed look, as a log line names it. */
interface FailedLook {
  /** In a row, this one included. */
  readonly failures: number;
  /** Milliseconds until the next look. */
  readonly pause: number;
  /** The name of the error. */
  readonly reason: string;
}

interface Following {
  /** Asked before each look. */
  readonly isWanted: () => boolean;
  /** @returns whether there is more to read at once */
  readonly look: () => Promise<boolean>;
  /** Milliseconds between two looks while there is nothing more. */
  readonly poll: number;
  /** Milliseconds: pauses grow up to this while looks fail. */
  readonly longestBackOff: number;
  /** Told of each failure while looks are wanted. */
  readonly onFailure: (failed: FailedLook) => void;
  /** Called when looks are not wanted any more, before anybody else can want them again. */
  readonly onEnd: () => void;
}

/** Looks for new events again and again while somebody wants them. Never rejects. */
export async function followWhile({
  isWanted,
  look,
  poll,
  longestBackOff,
  onFailure,
  onEnd,
}: Following): Promise<void> {
  let failures = 0;
  while (isWanted()) {
    try {
      const isMore = await look();
      failures = 0;
      if (!isMore) await delay(poll);
    } catch (error) {
      const pause = Math.min(100 * 2 ** failures++, longestBackOff);
      const reason = error instanceof Error ? error.name : typeof error;
      if (isWanted()) onFailure({ failures, pause, reason });
      await delay(pause);
    }
  }
  onEnd();
}
