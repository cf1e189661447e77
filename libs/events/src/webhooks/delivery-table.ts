import type { SqlExecutor } from '@app/event-store';
import type { PublicEvent } from '../public-event';

export const deliveryStatuses = ['Pending', 'Delivered', 'Dead'] as const;
/** `Dead`: every attempt has failed; a replay schedules it again. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One request to a receiver, and what became of it. Nothing of its answer is kept but the status. */
export interface Attempt {
  /** RFC 3339 */
  readonly at: string;
  readonly durationMs: number;
  /** HTTP status; absent when there was no answer. */
  readonly status?: number;
  /** Why it failed; absent after a success. */
  readonly failure?: string;
}

/** An event on its way to a webhook. */
export interface Delivery {
  readonly eventId: string;
  readonly subject: string;
  readonly type: string;
  readonly body: string;
  /** Made so far. */
  readonly attempts: number;
}

/** How many attempts of one delivery the log keeps. */
const keptAttempts = 20;
const removedAtOnce = 2_000;
/** Not on its way to a webhook that takes events. */
const isRemovable = `(status <> 'Pending' or coalesce(
  (select paused from webhook_receivers r where r.webhook_id = d.webhook_id limit 1), true))`;

const columns = `event_id::text as "eventId", subject, type, body, attempts`;

/** A webhook that has something to be sent, and the mark of its tenant. */
export interface WaitingReceiver {
  readonly id: string;
  readonly tenant: string;
}

/** The rows of `webhook_deliveries`: the work of webhooks, and its log. Times are those of the caller's clock. */
export class DeliveryTable {
  constructor(private readonly executor: SqlExecutor) {}

  /**
   * Hands events out to every webhook that wants them, or leaves them to the replay under way.
   * @param events in the order in which they happened
   * @returns how many deliveries there are more
   */
  async handOut(events: readonly PublicEvent[], now: Date, mark = ''): Promise<number> {
    const last = events.at(-1);
    if (!last) return 0;
    const rows = await this.executor.query({
      name: 'webhook-hand-out',
      text: `with replaying as (
          update webhook_replays p set last_position = $6::text::bigint where webhook_id > ''
            and (select q.tenant from webhook_receivers q where q.webhook_id = p.webhook_id limit 1) = $7
            returning webhook_id)
        insert into webhook_deliveries (webhook_id, event_id, type, subject, body, created_at, next_attempt_at)
        select r.webhook_id, e.id::bigint, e.type, e.subject, e.body, $5::timestamptz, greatest($5::timestamptz, (
          select max(next_attempt_at) from webhook_deliveries d
          where d.webhook_id = r.webhook_id and d.subject = e.subject and d.status = 'Pending'))
        from webhook_receivers r,
          unnest($1::text[], $2::text[], $3::text[], $4::text[]) as e (id, type, subject, body)
        where r.webhook_id > '' and r.tenant = $7 and r.from_position < e.id::bigint
          and (r.types = '{}' or e.type = any(r.types)) and (r.subject is null or r.subject = e.subject)
          and r.webhook_id not in (select replaying.webhook_id from replaying)
        on conflict do nothing returning 1 as one`,
      values: [...columnsOf(events), now, last.id, mark],
    });
    return rows.length;
  }

  /**
   * Schedules past events for one webhook; those that are still on their way stay as they are.
   * @param events in the order in which they happened
   */
  async schedule(webhookId: string, events: readonly PublicEvent[], now: Date): Promise<void> {
    if (events.length === 0) return;
    await this.executor.query({
      name: 'webhook-schedule',
      text: `insert into webhook_deliveries as d (webhook_id, event_id, type, subject, body, created_at, next_attempt_at)
        select $1, e.id::bigint, e.type, e.subject, e.body, $6::timestamptz, $6::timestamptz
        from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as e (id, type, subject, body)
        on conflict (webhook_id, event_id) do update
          set status = 'Pending', attempts = 0, created_at = excluded.created_at, next_attempt_at = excluded.next_attempt_at
          where d.status <> 'Pending'`,
      values: [webhookId, ...columnsOf(events), now],
    });
  }

  /** Webhooks with something to send now. */
  async waiting(now: Date): Promise<readonly WaitingReceiver[]> {
    return this.executor.query<WaitingReceiver>({
      name: 'webhook-waiting',
      // One look for each webhook; as a semi-join, the whole index might be read.
      text: `select webhook_id as id, tenant from webhook_receivers r
          left join lateral (select 1 as one from webhook_deliveries d
            where d.webhook_id = r.webhook_id and d.status = 'Pending' and d.next_attempt_at <= $1::timestamptz
            limit 1) as due on true
          left join lateral (select 1 as one from webhook_replays p where p.webhook_id = r.webhook_id
            limit 1) as replay on true
        where webhook_id > '' and not paused and (held_until is null or held_until <= $1::timestamptz)
          and (due.one = 1 or replay.one = 1)`,
      values: [now],
    });
  }

  /**
   * What can be sent now, in the order of each subject. An event behind another of its subject that is not among these
   * is not, either.
   * @param busy subjects with a request under way
   */
  due(webhookId: string, now: Date, busy: readonly string[], limit: number): Promise<Delivery[]> {
    return this.executor.query<Delivery>({
      name: 'webhook-due',
      text: `select ${columns} from webhook_deliveries d
        where webhook_id = $1 and status = 'Pending' and next_attempt_at <= $2::timestamptz and subject <> all($3::text[])
          and exists (select 1 from webhook_receivers r where r.webhook_id = $1 and not r.paused
            and (r.held_until is null or r.held_until <= $2::timestamptz))
          and not exists (select 1 from webhook_deliveries e
            where e.webhook_id = d.webhook_id and e.subject = d.subject and e.status = 'Pending' and e.event_id < d.event_id
              and (e.next_attempt_at, e.event_id) > (d.next_attempt_at, d.event_id))
        order by next_attempt_at, event_id limit $4`,
      values: [webhookId, now, busy, limit],
    });
  }

  async delivered(webhookId: string, eventId: string, attempt: Attempt): Promise<void> {
    await this.executor.query({
      name: 'webhook-delivered',
      text: `update webhook_deliveries set status = 'Delivered', ${logged('$3')} where webhook_id = $1 and event_id = $2::text::bigint`,
      values: [webhookId, eventId, JSON.stringify(attempt)],
    });
  }

  /** @param next when to try again; absent after the last attempt */
  async failed(webhookId: string, eventId: string, attempt: Attempt, next: Date | undefined): Promise<void> {
    await this.executor.query({
      name: 'webhook-failed',
      // The later ones of its subject wait with it.
      text: `with failed as (
          update webhook_deliveries set ${logged('$3')}, status = case when $4::timestamptz is null then 'Dead' else 'Pending' end,
            next_attempt_at = coalesce($4::timestamptz, next_attempt_at)
          where webhook_id = $1 and event_id = $2::text::bigint and status = 'Pending' returning subject)
        update webhook_deliveries d set next_attempt_at = greatest(next_attempt_at, $4::timestamptz)
          from failed where d.webhook_id = $1 and d.subject = failed.subject and d.status = 'Pending'
            and d.event_id > $2::text::bigint and $4::timestamptz is not null`,
      values: [webhookId, eventId, JSON.stringify(attempt), next ?? null],
    });
  }

  /** Removes what was made before a time, unless it is still to be sent. What waits for a paused webhook is removed as well. */
  async removeOld(before: Date): Promise<number> {
    for (let removed = 0; ;) {
      const rows = await this.executor.query({
        name: 'webhook-remove-old',
        text: `with old as (
            select created_at from webhook_deliveries d where created_at < $1::timestamptz and ${isRemovable}
            order by created_at limit ${removedAtOnce})
          delete from webhook_deliveries d
            where created_at <= (select max(created_at) from old) and ${isRemovable} returning 1 as one`,
        values: [before],
      });
      removed += rows.length;
      if (rows.length < removedAtOnce) return removed;
    }
  }

  /** Sends what waits for its next attempt now, as often as if it had not been tried. */
  async hasten(webhookId: string, now: Date): Promise<void> {
    await this.executor.query({
      name: 'webhook-hasten',
      text: `update webhook_deliveries set attempts = 0, next_attempt_at = least(next_attempt_at, $2::timestamptz)
        where webhook_id = $1 and status = 'Pending' and (next_attempt_at > $2::timestamptz or attempts > 0)`,
      values: [webhookId, now],
    });
  }
}

function columnsOf(
  events: readonly PublicEvent[],
): [ids: string[], types: string[], subjects: string[], bodies: string[]] {
  return [
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ subject }) => subject),
    events.map((event) => JSON.stringify(event)),
  ];
}

function logged(attempt: string): string {
  const log = `case when jsonb_array_length(log) >= ${keptAttempts} then log - 0 else log end`;
  return `attempts = attempts + 1, log = ${log} || ${attempt}::text::jsonb`;
}
