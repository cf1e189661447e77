export { anyEvent, eventSchema } from './event-schemas';
export {
  publicEventOf,
  publicEventTypes,
  publishedStoredTypes,
  subjectPattern,
  type PublicEvent,
} from './public-event';
export { beginReplay } from './webhooks/begin-replay';
export { deliveryCounter } from './webhooks/delivery-counter';
export { listDeliveries } from './webhooks/delivery-log';
export { type DeliveryStatus, deliveryStatuses } from './webhooks/delivery-table';
export type { ReplayFrom } from './webhooks/replay-start';
export { webhookAggregate } from './webhooks/webhook';
export { webhookMessages } from './webhooks/webhook-messages';
export { webhookCounter } from './webhooks/webhook-counter';
export { type WebhookStanding, webhookStandings } from './webhooks/webhook-standings';
