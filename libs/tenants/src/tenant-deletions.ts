import { EventStore, type Repository, StoreUnavailableError } from '@app/event-store';
import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type TenantEvent, TENANTS, type TenantState } from './tenant';
import { TenantRecords } from './tenant-records';

const every = 60_000;
/** Milliseconds between the clocks of this process and of the database above which one of them counts as wrong. */
const mostApart = 60_000;

/** Finishes the deletion of tenants that can be restored no more. */
@Injectable()
export class TenantDeletions implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Tenants');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly store: EventStore,
    @Inject(TENANTS) private readonly tenants: Repository<TenantState, TenantEvent>,
    private readonly records: TenantRecords,
  ) {}

  onModuleInit(): void {
    if (this.store.leavesBackground) return;
    this.timer = setInterval(() => void this.run(), every).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Does nothing while the last run goes on. */
  run(): Promise<void> {
    this.running ??= this.finishAll().finally(() => (this.running = undefined));
    return this.running;
  }

  private async finishAll(): Promise<void> {
    try {
      let cursor: string | undefined;
      do {
        const page = await this.tenants.list({ limit: 100, order: 'oldest', ...(cursor !== undefined && { cursor }) });
        const begun = page.items.filter(({ state: { deletion } }) => deletion && deletion.phase !== 'done');
        // What is destroyed does not come back: two clocks have to agree that it is time.
        if (begun.length > 0 && Math.abs((await this.store.look()).clockAhead) > mostApart) return;
        for (const { state } of begun) await this.finish(state);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    } catch (error) {
      this.failed(error);
    }
  }

  /** One that cannot be finished now, as while its store is away, holds no other up. */
  private async finish(tenant: TenantState): Promise<void> {
    await this.records.finishDeletion(tenant).catch((error: unknown) => {
      this.failed(error);
    });
  }

  /** The next run goes on where this one ended. */
  private failed(error: unknown): void {
    if (error instanceof StoreUnavailableError) return;
    this.logger.warn({ event: 'tenants.not-deleted', reason: error instanceof Error ? error.name : 'unknown' });
  }
}
