import { Tenants } from '@app/primitives/context';
import { EventStore, SQL_DRIVER, type SqlDriver, type SqlSession } from '@app/event-store';
import { outsideRequest } from '@app/http';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Deliverer } from './deliverer';
import { DeliveryTable } from './delivery-table';
import { releaseReceiver, takeReceivers } from './receiver-locks';
import { WEBHOOK_CLOCK, type WebhookClock } from './webhook-clock';

/** How often a process looks for work that it was not woken for. */
const poll = 1_000;
/** Milliseconds that requests under way have when the service stops; they are sent again otherwise. */
const atStop = 2_000;

/**
 * Serves the webhooks that have something to send. Over all processes each is served by one at a time, by a lock of a
 * database session, which ends with its process: then another one goes on.
 */
@Injectable()
export class Deliverers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly table: DeliveryTable;
  private readonly serving = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private session: SqlSession | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isWoken = false;

  constructor(
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
    private readonly deliverer: Deliverer,
    @Inject(WEBHOOK_CLOCK) private readonly clock: WebhookClock,
    private readonly store: EventStore,
    private readonly tenants: Tenants,
  ) {
    this.table = new DeliveryTable(driver);
  }

  onApplicationBootstrap(): void {
    if (this.store.leavesBackground) return;
    this.timer = setInterval(() => {
      this.wake();
    }, poll).unref();
  }

  /** There may be something to send. */
  wake(): void {
    // The thread that delivers looks by itself.
    if (this.deliverer.isStopping || this.store.leavesBackground) return;
    this.isWoken = true;
    this.looking ??= outsideRequest(() => this.look()).finally(() => {
      this.looking = undefined;
      if (this.isWoken) this.wake();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    const late = setTimeout(() => {
      this.stopping.abort();
    }, atStop);
    this.deliverer.stop();
    await this.looking;
    await Promise.all(this.serving.values());
    clearTimeout(late);
    await this.session?.close();
  }

  private async look(): Promise<void> {
    this.isWoken = false;
    try {
      const waiting = (await this.table.waiting(this.clock())).filter(({ id }) => !this.serving.has(id));
      if (waiting.length === 0) return;
      const session = await this.connected();
      const tenantOf = new Map(waiting.map(({ id, tenant }) => [id, tenant]));
      for (const webhookId of await takeReceivers(session, [...tenantOf.keys()])) {
        this.serve(webhookId, tenantOf.get(webhookId) ?? '', session);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private serve(webhookId: string, tenant: string, session: SqlSession): void {
    const work = this.tenants
      .as(tenant, () => this.deliverer.serve(webhookId, session, this.stopping.signal))
      .catch((error: unknown) => {
        this.failed(error);
        return 0;
      })
      .then(async (sent) => {
        if (session.isAlive()) await releaseReceiver(session, webhookId).catch(() => undefined);
        this.serving.delete(webhookId);
        // More may have come in at the end, which was not looked for because this webhook was being served.
        if (sent > 0) this.wake();
      });
    this.serving.set(webhookId, work);
  }

  private async connected(): Promise<SqlSession> {
    if (this.session?.isAlive() !== true) this.session = await this.driver.session();
    return this.session;
  }

  private failed(error: unknown): void {
    // The next look tries again.
    this.logger.warn({ event: 'webhooks.failed', reason: error instanceof Error ? error.name : 'unknown' });
  }
}
