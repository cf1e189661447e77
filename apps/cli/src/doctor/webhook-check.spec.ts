import type { WebhookStanding } from '@app/events';
import { judgeWebhooks } from './webhook-check';

const healthy: WebhookStanding = {
  webhookId: 'w',
  tenant: '',
  description: null,
  status: 'Enabled',
  pauseReason: null,
  failures: 0,
  failingSince: null,
  waitingSince: null,
};
const since = new Date('2027-06-30T12:00:00Z');

describe('the webhooks', () => {
  it.each<[string, string, WebhookStanding[]]>([
    ['ok', 'none', []],
    ['ok', '2, none fails', [healthy, healthy]],
    ['ok', '1, none fails', [{ ...healthy, status: 'Paused', pauseReason: 'requested' }]],
    ['warn', 'w is paused (gone)', [healthy, { ...healthy, status: 'Paused', pauseReason: 'gone' }]],
    ['warn', 'w fails since 2027-06-30T12:00:00.000Z', [{ ...healthy, failures: 2, failingSince: since }]],
  ])('are %s: %s', (outcome, found, standings) => {
    expect(judgeWebhooks(standings)).toMatchObject({ check: 'webhooks', outcome, found });
  });
});
