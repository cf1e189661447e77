import { InvalidCursorError, type SqlExecutor } from '@app/event-store';
import type { Attempt, DeliveryStatus } from './delivery-table';

/** A delivery as its log shows it. */
export interface LoggedDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly status: DeliveryStatus;
  readonly scheduledAt: Date;
  readonly nextAttemptAt: Date;
  readonly log: readonly Attempt[];
}

export interface DeliveryQuery {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface DeliveryPage {
  readonly items: readonly LoggedDelivery[];
  readonly nextCursor: string | null;
}

/** What a webhook was sent, and is to be sent; the newest event first. Throws `InvalidCursorError`. */
export async function listDeliveries(
  executor: SqlExecutor,
  webhookId: string,
  { status, limit, cursor }: DeliveryQuery,
): Promise<DeliveryPage> {
  if (cursor !== undefined && !/^[1-9]\d{0,17}$/.test(cursor)) throw new InvalidCursorError();
  const rows = await executor.query<LoggedDelivery>({
    name: status === undefined ? 'webhook-log' : 'webhook-log-by-status',
    text: `select event_id::text as "eventId", type, subject, status, created_at as "scheduledAt",
        next_attempt_at as "nextAttemptAt", log from webhook_deliveries
      where webhook_id = $1 and event_id < $2::text::bigint ${status === undefined ? '' : 'and status = $4'}
      order by event_id desc limit $3`,
    values: [webhookId, cursor ?? '9223372036854775807', limit + 1, ...(status === undefined ? [] : [status])],
  });
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.eventId ?? null) : null };
}
