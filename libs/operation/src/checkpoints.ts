import { CheckpointTaker, EventStore, SQL_DRIVER, type SqlDriver, Stores } from '@app/event-store';
import { CheckpointKeys, SignedCheckpoints } from '@app/keys';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

const every = 60_000;
/** Milliseconds since the last checkpoint before a replica takes another: usually one replica a minute does. */
const pause = 45_000;
/** Milliseconds for the last checkpoint before the process ends. */
const atStop = 750;

/** Signs a digest of the store every minute in which events were added, and once when the service stops. */
@Injectable()
export class Checkpoints implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(Checkpoints.name);
  /** Of the store at hand. */
  private readonly taker: () => CheckpointTaker;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    keys: CheckpointKeys,
    private readonly store: EventStore,
    private readonly stores: Stores,
  ) {
    const taker = (of: SqlDriver): CheckpointTaker => new CheckpointTaker(of, new SignedCheckpoints(keys));
    this.taker = stores.objects(taker(driver), taker);
  }

  onModuleInit(): void {
    if (this.store.leavesBackground) return;
    this.store.addLags(async () => [['checkpoints', await this.taker().lag()]]);
    this.timer = setInterval(() => void this.take(pause), every).unref();
  }

  /** The requests have been answered; the database closes after this. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.store.leavesBackground) return;
    clearInterval(this.timer);
    const end = performance.now() + atStop;
    const last = async (): Promise<void> => {
      await this.running;
      await this.take(0, () => performance.now() < end);
    };
    await Promise.race([last(), delay(atStop, undefined, { ref: false })]);
  }

  private take(sinceLast: number, goOn?: () => boolean): Promise<void> {
    // A slow database is not queried again before it has answered.
    this.running ??= this.stores.each(() => this.tried(sinceLast, goOn)).finally(() => (this.running = undefined));
    return this.running;
  }

  private async tried(sinceLast: number, goOn?: () => boolean): Promise<void> {
    try {
      await this.taker().take(sinceLast, goOn);
    } catch (error) {
      // The next minute tries again and covers the events added meanwhile.
      this.logger.error({ event: 'checkpoint.failed', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
