import { Logger } from '@nestjs/common';
import type { StreamCache } from '../streams/stream-cache';
import { erasureEvent } from './personal-data-erased';
import type { SqlDriver } from '../database/sql-driver';

const every = 2_000;
/**
 * Milliseconds by which an erasure may be older than the look that finds it first: the interval, with the time that its
 * statement may take and by which the clock of its writer may differ.
 */
const reach = 30_000;

/** Destroys what is kept of streams outside of the store. It may be asked again. */
export type DestroyElsewhere = (streamIds: readonly string[]) => Promise<void>;

/** Has this process forget what another replica has erased. */
export class ErasureWatch {
  private readonly logger = new Logger('Erasures');
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = performance.now();
  private isFailing = false;

  constructor(
    private readonly driver: SqlDriver,
    private readonly kept: StreamCache,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.look(), every).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Forgets all streams when it cannot know which of them were erased. */
  async look(): Promise<void> {
    const begin = performance.now();
    if (begin - this.lookedAt > reach / 2) this.kept.forgetAll();
    // An idle replica does not ask.
    if (this.kept.size === 0) {
      this.lookedAt = begin;
      return;
    }
    try {
      const erased = await this.driver.query<{ stream_id: string }>({
        name: 'erased-lately',
        text: `select stream_id from events where type = '${erasureEvent}' and recorded_at > now() - interval '${reach} ms'`,
        values: [],
        timeout: every,
      });
      for (const { stream_id: streamId } of erased) this.kept.forget(streamId);
      this.lookedAt = begin;
      this.isFailing = false;
    } catch (error) {
      this.kept.forgetAll();
      if (this.isFailing) return;
      this.isFailing = true;
      this.logger.warn({ event: 'erasures.unknown', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
