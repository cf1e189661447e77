import { Settings } from '@app/config';
import { EventStore, releaseLock, SQL_DRIVER, type SqlDriver, type SqlSession, takeLock } from '@app/event-store';
import { currentStanding, outsideRequest } from '@app/http';
import { FindOfferToHandOver } from '@app/offers';
import { Metrics } from '@app/observability';
import { IssuerAppearance } from '@app/pages';
import { inTenant, Tenants } from '@app/primitives/context';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { DeliveryState, DueDelivery } from './offer-delivery';
import { mailCounter } from './mail-counter';
import { OfferDeliveryTable } from './offer-delivery-table';
import { languageFor, mailOf } from './message';
import { openRelay, type Relay } from './relay';
import type { RelayFailure } from './relay-failure';
import { nextAttempt, nextLook, nextOfRelay, relayPause } from './schedule';

/** How often a process looks for work that it was not woken for, in milliseconds. */
const poll = 1_000;
const minute = 60_000;
/** Of whoever sends mails. */
const lock = 'mail';
const batch = 20;
const suspended = 'tenant-suspended';
/** Milliseconds that a mail under way has when the service stops. */
const atStop = 3_000;

/**
 * Sends the mails that are queued. Over all processes one at a time does, by a lock of a database session, which ends with its process: so the
 * rate is kept, and no mail is sent by two.
 */
@Injectable()
export class Mailers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Mail');
  private timer: NodeJS.Timeout | undefined;
  private session: SqlSession | undefined;
  private looking: Promise<void> | undefined;
  private relay: Relay | undefined;
  /** Of the relay, in a row. */
  private failures = 0;
  private isWoken = false;
  private isStopping = false;

  constructor(
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
    private readonly store: EventStore,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
    private readonly queries: QueryBus,
    private readonly appearance: IssuerAppearance,
    private readonly table: OfferDeliveryTable,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    if (this.store.leavesBackground || this.settings.mail.host === '') return;
    this.timer = setInterval(() => {
      this.wake();
    }, poll).unref();
  }

  /** There may be something to send. */
  wake(): void {
    // The thread that sends looks by itself.
    if (this.isStopping || this.store.leavesBackground) return;
    this.isWoken = true;
    this.looking ??= outsideRequest(() => inTenant(undefined, () => this.look())).finally(() => {
      this.looking = undefined;
      if (this.isWoken) this.wake();
    });
  }

  /** Milliseconds that the relay has for an answer. */
  patience(): number {
    return minute;
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.isStopping = true;
    const late = setTimeout(() => this.relay?.close(), atStop);
    await this.looking;
    clearTimeout(late);
    await this.session?.close();
  }

  private async look(): Promise<void> {
    this.isWoken = false;
    if (this.settings.mail.host === '') return;
    try {
      if (!(await this.table.hasDue(this.store.clock()))) return;
      if (this.session?.isAlive() !== true) this.session = await this.driver.session();
      const { session } = this;
      if (!(await takeLock(session, lock))) return;
      try {
        await this.sendAll(session, new OfferDeliveryTable(session));
      } finally {
        this.relay?.close();
        this.relay = undefined;
        if (session.isAlive()) await releaseLock(session, lock).catch(() => undefined);
      }
    } catch (error) {
      // The next look tries again.
      this.logger.warn({ event: 'mail.failed', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }

  private async sendAll(session: SqlSession, table: OfferDeliveryTable): Promise<void> {
    const { ratePerMinute } = this.settings.mail;
    while (this.goesOn(session)) {
      const now = this.store.clock();
      const free = ratePerMinute - (await table.attemptsSince(new Date(now.getTime() - minute)));
      const due = free > 0 ? await table.due(now, Math.min(free, batch)) : [];
      if (due.length === 0) return;
      for (const delivery of due) {
        if (!this.goesOn(session)) return;
        const failure = await this.send(delivery, table);
        if (failure?.isOfSender) {
          // Tenants send in their own names.
          const pause = relayPause(delivery.attempts + 1);
          await table.hold(new Date(this.store.clock().getTime() + pause), delivery.tenant);
          this.logger.warn({ event: 'mail.sender-refused', tenant: delivery.tenant, reason: failure.reason });
        }
        if (!failure?.isOfRelay) continue;
        await table.hold(new Date(this.store.clock().getTime() + relayPause(this.failures)));
        this.logger.warn({ event: 'mail.relay-failed', reason: failure.reason }, 'Mails wait for the relay');
        return;
      }
    }
  }

  private goesOn(session: SqlSession): boolean {
    return !this.isStopping && session.isAlive();
  }

  private async send(delivery: DueDelivery, table: OfferDeliveryTable): Promise<RelayFailure | undefined> {
    const { deliveryId, tenant } = delivery;
    if (!(await table.begin(deliveryId, this.store.clock()))) return undefined;
    try {
      return await this.tenants.as(tenant, () => this.sendInTenant(delivery, table));
    } catch (error) {
      this.logger.warn({ event: 'mail.not-sent', deliveryId, reason: error instanceof Error ? error.name : 'unknown' });
      return undefined;
    }
  }

  private async sendInTenant(delivery: DueDelivery, table: OfferDeliveryTable): Promise<RelayFailure | undefined> {
    const { deliveryId, offerId, locale, attempts, createdAt } = delivery;
    const become = async (status: Extract<DeliveryState, 'Sent' | 'Failed'>, reason?: string) => {
      const to = { status, ...(reason !== undefined && { reason }) };
      // What was stopped meanwhile is out all the same.
      await table.change(deliveryId, ['Queued', 'Cancelled'], to, this.store.clock());
      this.metrics.count(mailCounter, { outcome: status === 'Sent' ? 'sent' : 'failed' });
    };
    if (currentStanding()?.suspended !== undefined) {
      // Its links lead to nothing now. The mail does not count for the rate.
      const next = nextLook(createdAt, this.store.clock());
      if (next) await table.leave(deliveryId, suspended, next);
      else await become('Failed', suspended);
      return undefined;
    }
    const offer = await this.queries.execute(new FindOfferToHandOver(offerId));
    const isOpen = offer?.state === 'Open' || offer?.state === 'Online';
    const language = offer && languageFor(offer, locale);
    const message = isOpen && language && mailOf(offer, { deliveryId, language }, this.senderIn(language));
    if (!message) {
      await become('Failed', isOpen ? 'no-address' : 'offer-not-open');
      return undefined;
    }
    this.relay ??= await this.openRelay();
    const failure = await this.relay.send(message);
    this.failures = failure?.isOfRelay ? this.failures + 1 : 0;
    if (!failure) {
      await become('Sent');
      return undefined;
    }
    const now = this.store.clock();
    const retry = failure.isOfRelay
      ? nextOfRelay(this.failures, createdAt, now)
      : nextAttempt(attempts + 1, createdAt, now);
    const next = failure.isFinal ? undefined : retry;
    if (next) {
      await table.postpone(deliveryId, failure.reason, next);
      this.metrics.count(mailCounter, { outcome: 'postponed' });
    } else await become('Failed', failure.reason);
    this.logger.debug({ event: 'mail.refused', deliveryId, reason: failure.reason });
    return failure;
  }

  private openRelay(): Promise<Relay> {
    // The relay is the service's, whoever sends.
    return inTenant(undefined, () => openRelay(this.settings.mail, this.patience()));
  }

  private senderIn(language: Parameters<IssuerAppearance['helpIn']>[0]) {
    const { from, replyTo } = this.settings.mail;
    const { issuer, contact } = this.appearance.helpIn(language);
    return { name: issuer, from, replyTo, contact: contact && (contact.shown ?? contact.link) };
  }
}
