import { EventStore } from '@app/event-store';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

const every = 10 * 60 * 1000;

/** Forgets single-use values that have long expired, so that their table stays as small as what is in flight. */
@Injectable()
export class Housekeeping implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: EventStore) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.store.removeExpired().catch((error: unknown) => {
        // The next round tries again; nothing depends on the rows being gone.
        this.logger.warn({ event: 'housekeeping.failed', reason: error instanceof Error ? error.name : 'unknown' });
      });
    }, every).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}
