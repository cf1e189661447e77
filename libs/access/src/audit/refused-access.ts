import { EventStore } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

const every = 60_000;

export type AccessRefusal = 'unauthorized' | 'rate-limited';

/**
 * Counts the refusals of unauthenticated callers and leaves one row a minute for each kind of refusal, however many
 * there were: a caller without a key must not be able to fill the table.
 */
@Injectable()
export class RefusedAccess implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(RefusedAccess.name);
  private readonly counts = new Map<AccessRefusal, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), every).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  count(outcome: AccessRefusal): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }

  /** Writes what has been counted; what cannot be written is kept for the next time. */
  async flush(): Promise<void> {
    for (const [outcome, count] of [...this.counts]) {
      this.counts.delete(outcome);
      try {
        const unknownCaller = { principal: 'unknown', client: null, object: null, requestId: null };
        await this.store.audit({ ...unknownCaller, action: 'access', outcome, count });
      } catch (error) {
        this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + count);
        this.metrics.auditFailed();
        this.logger.warn({ event: 'audit.failed', reason: error instanceof Error ? error.name : 'unknown' });
      }
    }
  }
}
