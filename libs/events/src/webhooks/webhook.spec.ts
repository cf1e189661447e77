import {
  changeWebhook,
  createWebhook,
  evolveWebhook,
  giveUp,
  live,
  liveSecrets,
  rotateSecret,
  type Webhook,
  type WebhookEvent,
} from './webhook';

const now = '2027-06-30T12:00:00.000Z';
const later = '2027-07-01T12:00:00.000Z';
const content = { sealedUrl: 'sealed', types: ['offer.locked'], description: 'Back office' };

function after(...events: readonly WebhookEvent[]): Webhook {
  const [first, ...others] = [...createWebhook(content, { sealed: 'first' }, now), ...events];
  if (!first) throw new Error('There is no event.');
  return others.reduce(evolveWebhook, evolveWebhook(undefined, first));
}
const enabled = live(after(), 'w');
const paused = live(after({ type: 'WebhookPaused', reason: 'gone', at: now }), 'w');

describe('a webhook', () => {
  it('changes only when something differs', () => {
    expect(changeWebhook(enabled, { ...content, types: [...content.types] }, 'Enabled', now)).toEqual([]);
    const changed = { ...content, types: [] };
    expect(changeWebhook(enabled, changed, undefined, now)).toEqual([{ type: 'WebhookChanged', content: changed }]);
  });

  it('is paused with the reason, and resumed without one', () => {
    const [event] = changeWebhook(enabled, content, 'Paused', later);
    expect(event).toEqual({ type: 'WebhookPaused', reason: 'requested', at: later });
    expect(paused.pause).toEqual({ reason: 'gone', at: now });
    const [resumed] = changeWebhook(paused, content, 'Enabled', later);
    expect(resumed && evolveWebhook(paused, resumed)).toEqual(enabled);
  });

  it('is given up only while it is enabled', () => {
    const pause = { reason: 'failing', at: later, lastFailure: 'timeout' } as const;
    expect(giveUp(enabled, pause)).toEqual([{ type: 'WebhookPaused', ...pause }]);
    expect(giveUp(paused, pause)).toEqual([]);
    expect(giveUp(after({ type: 'WebhookDeleted' }), pause)).toEqual([]);
    expect(giveUp(undefined, pause)).toEqual([]);
  });

  it('has two secrets at most, the former one until it expires', () => {
    const twice = ['second', 'third'].reduce<Webhook>((webhook, sealed) => {
      const [event] = rotateSecret(live(webhook, 'w'), { sealed }, later);
      if (!event) throw new Error('There is no event.');
      return evolveWebhook(webhook, event);
    }, after());
    const secrets = (at: string) => liveSecrets(live(twice, 'w'), new Date(at)).map(({ sealed }) => sealed);
    expect(secrets(now)).toEqual(['third', 'second']);
    expect(secrets(later)).toEqual(['third']);
  });

  it('is not there once it is deleted', () => {
    for (const webhook of [undefined, after({ type: 'WebhookDeleted' })]) {
      expect(() => live(webhook, 'w')).toThrow('There is no webhook with the id w.');
    }
  });
});
