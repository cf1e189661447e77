import { DueExpiries, EventStore, Stores, StoreUnavailableError } from '@app/event-store';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

const every = 5_000;
/** Milliseconds between the clocks of this process and of the database above which one of them counts as wrong. */
const mostApart = 60_000;

/** Records what has expired, seconds after its time: a record is final, so two clocks have to agree about it. */
@Injectable()
export class Expiries implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Expiries.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly due: DueExpiries,
    private readonly stores: Stores,
  ) {}

  onModuleInit(): void {
    if (this.store.leavesBackground) return;
    this.timer = setInterval(() => void this.record(), every).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Does nothing while the last run goes on. */
  record(): Promise<void> {
    this.running ??= this.stores.each(() => this.tried()).finally(() => (this.running = undefined));
    return this.running;
  }

  private async tried(): Promise<void> {
    try {
      const { clockAhead } = await this.store.look();
      if (Math.abs(clockAhead) <= mostApart) await this.due.run();
    } catch (error) {
      // The next run records it; until then the clock alone decides, as it does everywhere else.
      if (error instanceof StoreUnavailableError) return;
      this.logger.warn({ event: 'expiries.failed', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
