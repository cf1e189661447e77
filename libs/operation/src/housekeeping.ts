import { Settings } from '@app/config';
import { DueErasures, EventStore, Stores } from '@app/event-store';
import { Metrics } from '@app/observability';
import { currentStore } from '@app/primitives/context';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

const every = 10 * 60 * 1000;
/** Milliseconds between the clocks of this process and of the database above which one of them counts as wrong. */
const mostApart = 60_000;

/**
 * Erases personal data whose retention has ended, unless the clock may have jumped. Removes single-use values that expired
 * long ago and audit rows past their retention, once the clock has long been steady: a used value that is removed too early
 * could be used again.
 */
@Injectable()
export class Housekeeping implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | undefined;
  /** The stores whose clocks are. */
  private readonly doubted = new Set<string | undefined>();
  private readonly removals: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly settings: Settings,
    private readonly metrics: Metrics,
    private readonly erasures: DueErasures,
    private readonly stores: Stores,
  ) {}

  onModuleInit(): void {
    if (this.store.leavesBackground) return;
    this.timer = setInterval(() => void this.cleanUp(), every).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Adds the removal of old rows of a module. */
  alsoRemove(removal: () => Promise<unknown>): void {
    this.removals.push(removal);
  }

  /** At each store. */
  cleanUp(): Promise<void> {
    return this.stores.each(() => this.cleanUpHere());
  }

  private async cleanUpHere(): Promise<void> {
    const clock = await this.tried(() => this.clock());
    if (!clock || clock.isDoubted) return;
    // A clock that has not been watched for long may be some minutes wrong, which matters little here.
    await this.tried(() => this.eraseDue());
    if (!clock.isSteady) return;
    await this.tried(() => this.store.removeExpired());
    await this.tried(() => this.store.removeOldAudit(this.settings.audit.retentionDays));
    for (const removal of this.removals) await this.tried(removal);
  }

  private async eraseDue(): Promise<void> {
    const streams = await this.erasures.run();
    if (streams > 0)
      this.logger.log({ event: 'housekeeping.erased', streams }, 'Personal data whose retention has ended is erased');
  }

  private async clock(): Promise<{ readonly isSteady: boolean; readonly isDoubted: boolean }> {
    const { clockAhead } = await this.store.look();
    const { steady, doubted } = await this.store.lookAtClock();
    const differs = Math.abs(clockAhead) > mostApart;
    this.report(differs ? 'clocks-differ' : doubted ? 'clock-jumped' : undefined);
    return { isSteady: steady && !differs, isDoubted: doubted || differs };
  }

  /** @param reason why the clock of the database is doubted */
  private report(reason: string | undefined): void {
    const store = currentStore();
    const wasDoubted = this.doubted.has(store);
    if (reason === undefined) this.doubted.delete(store);
    else this.doubted.add(store);
    this.metrics.clockDoubted(this.doubted.size > 0);
    if (wasDoubted === (reason !== undefined)) return;
    if (reason === undefined) this.logger.log({ event: 'housekeeping.goes-on' }, 'Old rows are removed again');
    else this.logger.warn({ event: 'housekeeping.waits', reason }, 'No old rows are removed: a clock may be wrong');
  }

  private async tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      // The next round tries again; nothing depends on the removal.
      this.logger.warn({ event: 'housekeeping.failed', reason: error instanceof Error ? error.name : 'unknown' });
      return undefined;
    }
  }
}
