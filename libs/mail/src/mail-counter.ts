import type { EventCounter } from '@app/observability';

/** What became of mails, which leave no events. */
export const mailCounter: EventCounter = {
  category: 'offer_delivery',
  name: 'mails_total',
  help: 'Mails by outcome; postponed: an attempt that is made again; bounced: reported to have come back',
  series: ['sent', 'postponed', 'failed', 'bounced'].map((outcome) => ({ outcome })),
  seriesOf: () => undefined,
};
