import { lastPosition, type MovedTable } from '@app/event-store';

const ofWebhooks = (mark: string): string =>
  `webhook_id in (select webhook_id from webhook_receivers where tenant <> '' and tenant = '${mark}')`;

/** What webhooks have of a tenant. What waits is sent by the other store; a replay that was under way begins anew there. */
export const movedWebhookTables: readonly MovedTable[] = [
  {
    table: 'webhook_receivers',
    columns: [...['webhook_id', 'types', 'subject', 'paused', 'failures', 'failing_since', 'held_until', 'tenant']],
    key: ['webhook_id'],
    of: (mark) => `tenant <> '' and tenant = '${mark}'`,
    anew: { from_position: lastPosition },
    leaves: true,
  },
  {
    table: 'webhook_deliveries',
    columns: [
      ...['webhook_id', 'event_id', 'type', 'subject', 'body', 'status', 'created_at', 'next_attempt_at', 'attempts'],
      'log',
    ],
    key: ['webhook_id', 'event_id'],
    of: ofWebhooks,
    leaves: true,
  },
  {
    table: 'webhook_replays',
    columns: ['webhook_id'],
    key: ['webhook_id'],
    of: ofWebhooks,
    anew: { tx: `'0'::xid8`, position: '0', last_position: lastPosition },
    leaves: true,
  },
];
