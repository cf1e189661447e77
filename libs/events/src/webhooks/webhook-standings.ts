import type { SqlExecutor } from '@app/event-store';
import type { PauseReason, WebhookStatus } from './webhook';

/** How a webhook fares, as its deliverers know it; for operators. */
export interface WebhookStanding {
  readonly webhookId: string;
  /** The mark; empty for the issuer of the settings. */
  readonly tenant: string;
  readonly description: string | null;
  readonly status: WebhookStatus;
  readonly pauseReason: PauseReason | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly failingSince: Date | null;
  /** When the oldest delivery was scheduled that is still to be made. */
  readonly waitingSince: Date | null;
}

/** Of every webhook, the oldest first. */
export function webhookStandings(executor: SqlExecutor): Promise<WebhookStanding[]> {
  return executor.query<WebhookStanding>({
    name: 'webhook-standings',
    text: `select webhook_id as "webhookId", r.tenant, s.state -> 'content' ->> 'description' as description,
        case when paused then 'Paused' else 'Enabled' end as status, s.state -> 'pause' ->> 'reason' as "pauseReason",
        failures, failing_since as "failingSince", waiting.created_at as "waitingSince"
      from webhook_receivers r
        left join lateral (select state from streams
          where stream_id = 'webhook' || case r.tenant when '' then '-' else '~' || r.tenant || '-' end || r.webhook_id limit 1) as s on true
        left join lateral (select created_at from webhook_deliveries d
          where d.webhook_id = r.webhook_id and d.status = 'Pending' order by event_id limit 1) as waiting on true
      where webhook_id > '' order by from_position`,
    values: [],
  });
}
