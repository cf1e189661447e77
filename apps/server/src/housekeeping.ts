import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

const every = 10 * 60 * 1000;

/** Forgets single-use values that have long expired, and rows of the audit that have been kept long enough. */
@Injectable()
export class Housekeeping implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      void this.tried(() => this.store.removeExpired());
      void this.tried(() => this.store.removeOldAudit(this.settings.audit.retentionDays));
    }, every).unref();
  }

  private async tried(work: () => Promise<number>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The next round tries again; nothing depends on the rows being gone.
      this.logger.warn({ event: 'housekeeping.failed', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}
