import { currentMark } from '@app/primitives/context';
import { SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Channel, OfferDelivery, DeliveryState, DueDelivery } from './offer-delivery';

const columns = `delivery_id as "deliveryId", offer_id as "offerId", channel, locale, status, reason, attempts,
  attempted_at as "attemptedAt", created_at as "createdAt", next_attempt_at as "nextAttemptAt", changed_at as "changedAt"`;
/** Milliseconds for which a mail is left alone that a process has begun to send, even if that ends. */
const underWay = 10 * 60_000;
const removedAtOnce = 2_000;
const mostLookedAt = 100_000;
/** Of ids that begin with a text, between the parameters of these numbers. */
const between = (from: number): string => `offer_id >= $${from} and offer_id < $${from + 1}`;

/** The rows of `offer_deliveries`. Those of a tenant are seen in its name. Times are those of the caller's clock. */
@Injectable()
export class OfferDeliveryTable {
  constructor(@Inject(SQL_DRIVER) private readonly executor: SqlExecutor) {}

  /** Before all that `addMails` has queued. @returns the one that there is now; `undefined` when another mail of the offer is on its way */
  async add(
    delivery: {
      readonly deliveryId: string;
      readonly offerId: string;
      readonly channel: Channel;
      readonly locale: string | undefined;
      readonly status: DeliveryState;
    },
    now: Date,
  ): Promise<OfferDelivery | undefined> {
    const { deliveryId, offerId, channel, locale, status } = delivery;
    await this.executor.query({
      name: 'mail-add',
      text: `insert into offer_deliveries
          (delivery_id, tenant, offer_id, channel, locale, status, created_at, next_attempt_at, changed_at)
        values ($1, $2, $3, $4, $5, $6, $7::timestamptz, $7::timestamptz - interval '1 day', $7::timestamptz) on conflict do nothing`,
      values: [deliveryId, currentMark(), offerId, channel, locale ?? null, status, now],
    });
    return this.find(offerId, deliveryId);
  }

  async find(offerId: string, deliveryId: string): Promise<OfferDelivery | undefined> {
    const [found] = await this.executor.query<OfferDelivery>({
      name: 'mail-find',
      text: `select ${columns} from offer_deliveries where delivery_id = $1 and tenant = $2 and offer_id = $3`,
      values: [deliveryId, currentMark(), offerId],
    });
    return found;
  }

  /** @returns the ids of those that are new; the others have a mail on its way */
  async addMails(
    mails: readonly { readonly deliveryId: string; readonly offerId: string }[],
    locale: string | undefined,
    now: Date,
  ): Promise<ReadonlySet<string>> {
    const rows = await this.executor.query<{ deliveryId: string }>({
      name: 'mail-add-many',
      text: `insert into offer_deliveries (delivery_id, tenant, offer_id, channel, locale, created_at, next_attempt_at, changed_at)
        select id, $1, offer, 'email', $2, $3::timestamptz, $3::timestamptz, $3::timestamptz
        from unnest($4::text[], $5::text[]) as m (id, offer) on conflict do nothing returning delivery_id as "deliveryId"`,
      values: [
        currentMark(),
        locale ?? null,
        now,
        mails.map(({ deliveryId }) => deliveryId),
        mails.map(({ offerId }) => offerId),
      ],
    });
    return new Set(rows.map(({ deliveryId }) => deliveryId));
  }

  /** Of each of these offers the last mail and the last letter. */
  latest(offerIds: readonly string[]): Promise<OfferDelivery[]> {
    return this.executor.query<OfferDelivery>({
      name: 'mail-latest-of-channels',
      text: `select distinct on (offer_id, channel) ${columns} from offer_deliveries
        where tenant = $1 and offer_id = any($2::text[])
        order by offer_id, channel, created_at desc, delivery_id desc`,
      values: [currentMark(), offerIds],
    });
  }

  /** How many offers have a last mail in each state. @param beginning of the ids of the offers */
  async countLatest(beginning: string): Promise<Readonly<Partial<Record<DeliveryState, number>>>> {
    const rows = await this.executor.query<{ status: DeliveryState; count: number }>({
      name: 'mail-count-latest',
      text: `select status, count(*)::integer as count from (
          select distinct on (offer_id) status from offer_deliveries where tenant = $1 and ${between(2)} and channel = 'email'
          order by offer_id, created_at desc, delivery_id desc) as latest
        group by status`,
      values: [currentMark(), ...rangeOf(beginning)],
    });
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Of an offer, the newest first. */
  ofOffer(offerId: string, limit: number): Promise<OfferDelivery[]> {
    return this.executor.query<OfferDelivery>({
      name: 'mail-of-offer',
      text: `select ${columns} from offer_deliveries where tenant = $1 and offer_id = $2
        order by created_at desc, delivery_id desc limit $3`,
      values: [currentMark(), offerId, limit],
    });
  }

  /** @returns whether it had one of these states before */
  async change(
    deliveryId: string,
    from: readonly DeliveryState[],
    to: { readonly status: DeliveryState; readonly reason?: string },
    now: Date,
  ): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'mail-change',
      text: `update offer_deliveries set status = $4, reason = $5, changed_at = $6::timestamptz
        where delivery_id = $1 and tenant = $2 and status = any($3::text[]) returning 1 as one`,
      values: [deliveryId, currentMark(), from, to.status, to.reason ?? null, now],
    });
    return rows.length > 0;
  }

  /** Stops what is queued. @param offerIds of these offers; of all when absent @returns how many */
  async cancel(offerIds: readonly string[] | undefined, now: Date): Promise<number> {
    const rows = await this.executor.query({
      name: offerIds ? 'mail-cancel-some' : 'mail-cancel-all',
      text: `update offer_deliveries set status = 'Cancelled', reason = null, changed_at = $2::timestamptz
        where tenant = $1 and status = 'Queued' ${offerIds ? 'and offer_id = any($3::text[])' : ''} returning 1 as one`,
      values: [currentMark(), now, ...(offerIds ? [offerIds] : [])],
    });
    return rows.length;
  }

  /** The same. @param beginning of the ids of the offers */
  async cancelFrom(beginning: string, now: Date): Promise<number> {
    const rows = await this.executor.query({
      name: 'mail-cancel-from',
      text: `update offer_deliveries set status = 'Cancelled', reason = null, changed_at = $2::timestamptz
        where tenant = $1 and status = 'Queued' and ${between(3)} returning 1 as one`,
      values: [currentMark(), now, ...rangeOf(beginning)],
    });
    return rows.length;
  }

  /** The same. */
  async cancelThese(deliveryIds: readonly string[], now: Date): Promise<number> {
    const rows = await this.executor.query({
      name: 'mail-cancel-these',
      text: `update offer_deliveries set status = 'Cancelled', reason = null, changed_at = $2::timestamptz
        where tenant = $1 and status = 'Queued' and delivery_id = any($3::text[]) returning 1 as one`,
      values: [currentMark(), now, deliveryIds],
    });
    return rows.length;
  }

  /** Since when the oldest mail waits, of all tenants: of so many at most. */
  async waitingSince(): Promise<Date | undefined> {
    const [row] = await this.executor.query<{ since: Date | null }>({
      name: 'mail-waiting',
      text: `select min(created_at) as since
        from (select created_at from offer_deliveries where status = 'Queued' limit ${mostLookedAt}) as waiting`,
      values: [],
    });
    return row?.since ?? undefined;
  }

  async hasDue(now: Date): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'mail-has-due',
      text: `with recursive ${waitingTenants}
        select 1 as one from waiting w where exists (select 1 from offer_deliveries d
          where d.status = 'Queued' and d.tenant = w.tenant and d.next_attempt_at <= $1::timestamptz) limit 1`,
      values: [now],
    });
    return rows.length > 0;
  }

  /** What can be sent now; tenants take turns. */
  due(now: Date, limit: number): Promise<DueDelivery[]> {
    return this.executor.query<DueDelivery>({
      name: 'mail-due',
      text: `with recursive ${waitingTenants}
        select d.* from waiting w cross join lateral (
          select delivery_id as "deliveryId", tenant, offer_id as "offerId", locale, attempts, created_at as "createdAt",
            next_attempt_at, row_number() over (order by next_attempt_at, delivery_id) as turn
          from offer_deliveries where status = 'Queued' and tenant = w.tenant and next_attempt_at <= $1::timestamptz
          order by next_attempt_at, delivery_id limit $2) as d
        order by d.turn, d.next_attempt_at limit $2`,
      values: [now, limit],
    });
  }

  /** How many attempts there were since a time, of all tenants. */
  async attemptsSince(time: Date): Promise<number> {
    const [row] = await this.executor.query<{ count: number }>({
      name: 'mail-attempts',
      text: 'select count(*)::integer as count from offer_deliveries where attempted_at > $1::timestamptz',
      values: [time],
    });
    return row?.count ?? 0;
  }

  /** Says that it is about to be sent. @returns false when it is queued no more, or waits again */
  async begin(deliveryId: string, now: Date): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'mail-begin',
      text: `update offer_deliveries set attempts = attempts + 1, attempted_at = $2::timestamptz, next_attempt_at = $3::timestamptz
        where delivery_id = $1 and status = 'Queued' and next_attempt_at <= $2::timestamptz returning 1 as one`,
      values: [deliveryId, now, new Date(now.getTime() + underWay)],
    });
    return rows.length > 0;
  }

  /** Queues for later what was not tried after all. */
  async leave(deliveryId: string, reason: string, next: Date): Promise<void> {
    await this.executor.query({
      name: 'mail-leave',
      text: `update offer_deliveries set reason = $2, next_attempt_at = $3::timestamptz, attempts = attempts - 1, attempted_at = null
        where delivery_id = $1 and status = 'Queued'`,
      values: [deliveryId, reason, next],
    });
  }

  /** Queues it for later. */
  async postpone(deliveryId: string, reason: string, next: Date): Promise<void> {
    await this.executor.query({
      name: 'mail-postpone',
      text: `update offer_deliveries set reason = $2, next_attempt_at = $3::timestamptz
        where delivery_id = $1 and status = 'Queued'`,
      values: [deliveryId, reason, next],
    });
  }

  /** Nothing is sent before, as the relay takes nothing. @param tenant its mails alone; those of all when absent */
  async hold(until: Date, tenant?: string): Promise<void> {
    await this.executor.query({
      name: tenant === undefined ? 'mail-hold' : 'mail-hold-tenant',
      text: `update offer_deliveries set next_attempt_at = $1::timestamptz
        where status = 'Queued' and ${tenant === undefined ? `tenant >= ''` : 'tenant = $2'} and next_attempt_at < $1::timestamptz`,
      values: [until, ...(tenant === undefined ? [] : [tenant])],
    });
  }

  async removeOld(before: Date): Promise<void> {
    for (let removed = removedAtOnce; removed >= removedAtOnce;) {
      const rows = await this.executor.query({
        name: 'mail-remove-old',
        text: `with old as (
            select created_at from offer_deliveries where created_at < $1::timestamptz and status <> 'Queued'
            order by created_at limit ${removedAtOnce})
          delete from offer_deliveries
            where created_at <= (select max(created_at) from old) and status <> 'Queued' returning 1 as one`,
        values: [before],
      });
      removed = rows.length;
    }
  }

  /** Of the tenant at hand. */
  async removeAll(): Promise<void> {
    await this.executor.query({
      name: 'mail-remove-all',
      text: 'delete from offer_deliveries where tenant = $1',
      values: [currentMark()],
    });
  }
}

/** One look for each tenant that has something queued. */
const waitingTenants = `waiting (tenant) as (
    (select tenant from offer_deliveries where status = 'Queued' order by tenant limit 1)
    union all
    select (select d.tenant from offer_deliveries d where d.status = 'Queued' and d.tenant > w.tenant order by d.tenant limit 1)
    from waiting w where w.tenant is not null)`;

function rangeOf(beginning: string): [string, string] {
  return [beginning, `${beginning}\u{10ffff}`];
}
