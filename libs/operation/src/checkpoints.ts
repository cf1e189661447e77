import { CheckpointTaker, EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { CheckpointKeys, SignedCheckpoints } from '@app/keys';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

const every = 60_000;
/** Of replicas whose minutes overlap, one takes the checkpoint. */
const pause = 45_000;
/** Milliseconds for the one before the process ends. */
const atStop = 750;

/** Signs what the store holds, each minute in which something came, and once more when the service stops. */
@Injectable()
export class Checkpoints implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(Checkpoints.name);
  private readonly taker: CheckpointTaker;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    keys: CheckpointKeys,
    private readonly store: EventStore,
  ) {
    this.taker = new CheckpointTaker(driver, new SignedCheckpoints(keys));
  }

  onModuleInit(): void {
    this.store.addLag('checkpoints', () => this.taker.lag());
    this.timer = setInterval(() => void this.take(pause), every).unref();
  }

  /** The requests have been answered; the database closes after this. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    const end = performance.now() + atStop;
    const last = async (): Promise<void> => {
      await this.running;
      await this.take(0, () => performance.now() < end);
    };
    await Promise.race([last(), delay(atStop)]);
  }

  private take(sinceLast: number, goOn?: () => boolean): Promise<void> {
    // A slow database gets no second question before it has answered the first.
    this.running ??= this.tried(sinceLast, goOn).finally(() => (this.running = undefined));
    return this.running;
  }

  private async tried(sinceLast: number, goOn?: () => boolean): Promise<void> {
    try {
      await this.taker.take(sinceLast, goOn);
    } catch (error) {
      // The next minute tries again, with all that has come meanwhile.
      this.logger.error({ event: 'checkpoint.failed', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
