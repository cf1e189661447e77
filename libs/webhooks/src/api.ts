export { beginReplay } from './begin-replay';
export { deliveryCounter } from './delivery-counter';
export { listDeliveries } from './delivery-log';
export { type DeliveryStatus, deliveryStatuses } from './delivery-table';
export type { ReplayFrom } from './replay-start';
export { webhookAggregate } from './webhook';
export { webhookMessages } from './webhook-messages';
export { webhookCounter } from './webhook-counter';
export { type WebhookStanding, webhookStandings } from './webhook-standings';
