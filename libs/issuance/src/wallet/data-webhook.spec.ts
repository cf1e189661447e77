import type { Settings } from '@app/config';
import type { EventStore } from '@app/event-store';
import { type OutboundClient, OutboundError, type OutboundErrorReason } from '@app/outbound';
import { answerOf, DataWebhook } from './data-webhook';

const about = { authorizationId: 'a1' };
const person = { source: 'openid', claims: {} } as const;
const request = { ...about, credentialId: 'a1.1', credentialConfigurationId: 'card', person };

function webhook(reason: OutboundErrorReason, dataUrl = 'https://portal.example/data'): DataWebhook {
  const exchange = () => Promise.reject(new OutboundError(reason, 'failed'));
  const dataSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  return new DataWebhook(
    { exchange } as unknown as OutboundClient,
    { clock: () => new Date(0) } as EventStore,
    { identification: { dataUrl, dataSecret } } as Settings,
  );
}

describe('the question for the data of a credential', () => {
  it.each([
    ['timeout', 'timeout'],
    ['too-large', 'answer-too-large'],
    ['blocked-address', 'no-public-address'],
    ['unresolved-host', 'no-public-address'],
    ['malformed-body', 'answer-not-understood'],
    ['connection-failed', 'unreachable'],
    ['busy', 'unreachable'],
  ] as const)('that fails by %s makes the wallet wait: %s', async (reason, fault) => {
    expect(await webhook(reason).ask(request)).toEqual({ outcome: 'failed', fault });
  });

  it('is sent nowhere while the settings name no server', async () => {
    expect(await webhook('timeout', '').ask(request)).toEqual({ outcome: 'failed', fault: 'not-configured' });
  });
});

describe('an answer of the portal', () => {
  it.each([
    [200, '{"credentialSubject":{"level":3}}', { outcome: 'data', claims: { level: 3 } }],
    [200, '{"credentialSubject":{},"expiresAt":"never"}', { outcome: 'data', claims: {}, expiresAt: 'never' }],
    [200, '{"credentialSubject":{},"refresh":true}', { outcome: 'data', claims: {}, asksAgain: true }],
    [200, '{"credentialSubject":{},"refresh":false}', { outcome: 'data', claims: {} }],
    [200, '{"credentialSubject":{},"refresh":"yes"}', { outcome: 'failed', fault: 'answer-not-understood' }],
    [200, '{"credentialSubject":{},"expiresAt":"soon"}', { outcome: 'failed', fault: 'expiry-invalid' }],
    [200, '{"credentialSubject":[]}', { outcome: 'failed', fault: 'answer-not-understood' }],
    [200, '{"authorizationId":"a2"}', { outcome: 'failed', fault: 'answer-of-another-authorization' }],
    [202, '', { outcome: 'later' }],
    [403, '{"reason":"No."}', { outcome: 'refused', reason: 'No.' }],
    [404, '{"reason":"line\\nbreak"}', { outcome: 'refused' }],
    [307, '', { outcome: 'failed', fault: 'answered-with-a-redirect' }],
    [503, '', { outcome: 'failed', fault: 'answered-with-an-error' }],
  ])('of %d with %s', (status, body, answer) => {
    expect(answerOf(status, Buffer.from(body), about)).toEqual(answer);
  });
});
