import { atStore, currentStore, Tenants } from '@app/primitives/context';
import { EventStore, STORE_DRIVER, type SqlDriver, type SqlSession, Stores } from '@app/event-store';
import { currentStanding, outsideRequest } from '@app/http';
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

/** What serves the webhooks of one store. */
interface Place {
  session: SqlSession | undefined;
  looking: Promise<void> | undefined;
  isWoken: boolean;
}

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
  private readonly places = new Map<string | undefined, Place>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
    private readonly deliverer: Deliverer,
    @Inject(WEBHOOK_CLOCK) private readonly clock: WebhookClock,
    private readonly store: EventStore,
    private readonly tenants: Tenants,
    private readonly stores: Stores,
  ) {
    this.table = new DeliveryTable(driver);
  }

  onApplicationBootstrap(): void {
    if (this.store.leavesBackground) return;
    this.timer = setInterval(() => {
      for (const store of this.stores.open())
        atStore(store, () => {
          this.wake();
        });
    }, poll).unref();
  }

  /** There may be something to send, of the store at hand. */
  wake(): void {
    // The thread that delivers looks by itself.
    if (this.deliverer.isStopping || this.store.leavesBackground) return;
    const store = currentStore();
    const place = this.places.get(store) ?? { session: undefined, looking: undefined, isWoken: false };
    this.places.set(store, place);
    place.isWoken = true;
    place.looking ??= outsideRequest(() => atStore(store, () => this.look(place))).finally(() => {
      place.looking = undefined;
      if (place.isWoken)
        atStore(store, () => {
          this.wake();
        });
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    const late = setTimeout(() => {
      this.stopping.abort();
    }, atStop);
    this.deliverer.stop();
    await Promise.all([...this.places.values()].flatMap(({ looking }) => looking ?? []));
    await Promise.all(this.serving.values());
    clearTimeout(late);
    await Promise.all([...this.places.values()].flatMap(({ session }) => session?.close() ?? []));
  }

  private async look(place: Place): Promise<void> {
    place.isWoken = false;
    try {
      const waiting = (await this.table.waiting(this.clock())).filter(({ id }) => !this.serving.has(id));
      if (waiting.length === 0) return;
      const session = await this.connected(place);
      const tenantOf = new Map(waiting.map(({ id, tenant }) => [id, tenant]));
      for (const webhookId of await takeReceivers(session, [...tenantOf.keys()])) {
        this.serve(webhookId, tenantOf.get(webhookId) ?? '', session);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private serve(webhookId: string, tenant: string, session: SqlSession): void {
    const store = currentStore();
    // A tenant that has moved is served where it is.
    const isHere = (): boolean => currentStore() === store && currentStanding()?.isMoving !== true;
    const work = this.tenants
      .as(tenant, async () => (isHere() ? this.deliverer.serve(webhookId, session, this.stopping.signal) : 0))
      .catch((error: unknown) => {
        this.failed(error);
        return 0;
      })
      .then(async (sent) => {
        if (session.isAlive()) await releaseReceiver(session, webhookId).catch(() => undefined);
        this.serving.delete(webhookId);
        // More may have come in at the end, which was not looked for because this webhook was being served.
        if (sent > 0)
          atStore(store, () => {
            this.wake();
          });
      });
    this.serving.set(webhookId, work);
  }

  private async connected(place: Place): Promise<SqlSession> {
    if (place.session?.isAlive() !== true) place.session = await this.driver.session();
    return place.session;
  }

  private failed(error: unknown): void {
    // The next look tries again.
    this.logger.warn({ event: 'webhooks.failed', reason: error instanceof Error ? error.name : 'unknown' });
  }
}
