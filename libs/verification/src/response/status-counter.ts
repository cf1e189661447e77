import type { EventCounter } from '@app/observability';

/** Statuses of presented credentials, which leave no events of their own. */
export const statusCounter: EventCounter = {
  category: 'presented_status',
  name: 'presented_statuses_total',
  help: 'Presented credentials with a status, by what it was; undetermined: no sound statement of the issuer',
  series: [{ outcome: 'valid' }, { outcome: 'suspended' }, { outcome: 'revoked' }, { outcome: 'undetermined' }],
  seriesOf: () => undefined,
};
