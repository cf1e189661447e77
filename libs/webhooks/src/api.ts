export { deliveryCounter } from './delivery-counter';
export { webhookAggregate } from './webhook';
