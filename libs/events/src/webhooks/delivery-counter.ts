import type { EventCounter } from '@app/observability';

/** Attempts to deliver, which leave no events. */
export const deliveryCounter: EventCounter = {
  category: 'webhook_delivery',
  name: 'webhook_deliveries_total',
  help: 'Attempts to send an event to a webhook, by outcome; dead: the last attempt has failed',
  series: [{ outcome: 'delivered' }, { outcome: 'failed' }, { outcome: 'dead' }],
  seriesOf: () => undefined,
};
