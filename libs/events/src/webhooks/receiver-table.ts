import { currentMark } from '@app/primitives/context';
import type { SqlExecutor } from '@app/event-store';
import type { EventFilter } from './webhook';

/** How the last attempts at a receiver went. */
export interface ReceiverFailures {
  /** Since the last success, of whatever event. */
  readonly count: number;
  readonly since: Date;
}

/** The rows of `webhook_receivers`: what the deliverers know of each webhook. */
export class ReceiverTable {
  constructor(private readonly executor: SqlExecutor) {}

  async hasAny(): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'webhook-receiver-any',
      text: `select 1 as one from webhook_receivers where webhook_id > '' limit 1`,
      values: [],
    });
    return rows.length > 0;
  }

  /** Changes nothing when it is there already. @param position of the event that created the webhook */
  async add(webhookId: string, position: string, { types, subject }: EventFilter): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-add',
      text: `insert into webhook_receivers (webhook_id, from_position, types, subject, tenant)
        values ($1, $2::text::bigint, $3::text[], $4, $5) on conflict do nothing`,
      values: [webhookId, position, types, subject ?? null, currentMark()],
    });
  }

  async filter(webhookId: string, { types, subject }: EventFilter): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-filter',
      text: 'update webhook_receivers set types = $2::text[], subject = $3 where webhook_id = $1',
      values: [webhookId, types, subject ?? null],
    });
  }

  async pause(webhookId: string): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-pause',
      text: 'update webhook_receivers set paused = true where webhook_id = $1',
      values: [webhookId],
    });
  }

  /** Forgets its failures as well. */
  async resume(webhookId: string): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-resume',
      text: `update webhook_receivers set paused = false, failures = 0, failing_since = null, held_until = null
        where webhook_id = $1`,
      values: [webhookId],
    });
  }

  /** What it was to be sent is removed with the log of deliveries. */
  async remove(webhookId: string): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-remove',
      text: `with replay as (delete from webhook_replays where webhook_id = $1)
        delete from webhook_receivers where webhook_id = $1`,
      values: [webhookId],
    });
  }

  /** Those of the tenant at hand. */
  async removeAll(): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-remove-all',
      text: `with gone as (delete from webhook_receivers where tenant = $1 and tenant <> '' returning webhook_id)
        delete from webhook_replays where webhook_id = any(array(select webhook_id from gone))`,
      values: [currentMark()],
    });
  }

  /** A receiver that wants to be left alone is, although a request of before was still received. */
  async succeeded(webhookId: string): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-succeeded',
      text: `update webhook_receivers set failures = 0, failing_since = null where webhook_id = $1 and failures > 0`,
      values: [webhookId],
    });
  }

  /** Counts a failure. @returns undefined when the webhook was deleted */
  async failed(webhookId: string, now: Date): Promise<ReceiverFailures | undefined> {
    const [row] = await this.executor.query<ReceiverFailures>({
      name: 'webhook-receiver-failed',
      text: `update webhook_receivers set failures = failures + 1, failing_since = coalesce(failing_since, $2::timestamptz)
        where webhook_id = $1 returning failures as count, failing_since as since`,
      values: [webhookId, now],
    });
    return row;
  }

  /** Sends it nothing before then. */
  async hold(webhookId: string, until: Date): Promise<void> {
    await this.executor.query({
      name: 'webhook-receiver-hold',
      text: `update webhook_receivers set held_until = greatest(held_until, $2::timestamptz) where webhook_id = $1`,
      values: [webhookId, until],
    });
  }
}
