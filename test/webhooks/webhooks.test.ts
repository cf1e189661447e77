import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import {
  firstArrivals,
  startWebhookReceiver,
  verifiedEvent,
  type WebhookReceiver,
} from '../support/counterparts/webhook-receiver';
import { startEventLoad } from '../support/portal/event-load';
import { claims, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { openSession, requestCredential } from '../support/wallets/wallet';
import { eventually } from '../event-store/accounts';

let service: RunningService;
let receiver: WebhookReceiver;

beforeAll(async () => {
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  const { items } = answered(200, await get(at()));
  for (const { webhookId } of items as Json[]) await send(at(String(webhookId)), { method: 'DELETE' });
  await receiver.stop();
});
afterAll(() => service.stop());

const at = (...path: string[]): string => [`${service.url}/v0/webhooks`, ...path].join('/');
async function created(changes: Json = {}): Promise<Json> {
  return answered(201, await postJson(at(), { url: receiver.url, ...changes }));
}
function patch(id: unknown, body: Json, headers: Record<string, string> = {}): Promise<Reply> {
  const type = { 'content-type': 'application/json' };
  return send(at(String(id)), { method: 'PATCH', headers: { ...type, ...headers }, body: JSON.stringify(body) });
}
async function deliveries(id: unknown): Promise<Json[]> {
  return answered(200, await get(at(String(id), 'deliveries')))['items'] as Json[];
}
const typesReceived = (): unknown[] => receiver.messages.map(({ event }) => event['type']);
const archive = async (templateId: string): Promise<Json> =>
  answered(200, await postJson(`${service.url}/v0/templates/${templateId}/archive`, ''));

describe('a webhook', () => {
  it('gets the events after its creation, in order, with a signature that another library accepts', async () => {
    await publishedTemplate(service.url);
    const { secret, webhookId } = await created();
    const templateId = await publishedTemplate(service.url);
    await archive(templateId);
    await eventually(() => receiver.messages.length === 2);
    const events = receiver.messages.map((message) => verifiedEvent(String(secret), message));
    expect(events).toMatchObject([
      { specversion: '1.0', type: 'template.published', subject: `templates/${templateId}`, source: service.url },
      { specversion: '1.0', type: 'template.archived', subject: `templates/${templateId}` },
    ]);
    expect(receiver.messages.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(receiver.messages[0]?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    await eventually(async () => (await deliveries(webhookId)).every(({ status }) => status === 'Delivered'));
    expect(await deliveries(webhookId)).toMatchObject([
      { type: 'template.archived', attempts: [{ status: 204, durationMs: expect.any(Number) }], nextAttemptAt: null },
      { type: 'template.published', eventId: events[0]?.['id'] },
    ]);
  });

  it('gets only the types and the subject that it asks for', async () => {
    const templateId = await publishedTemplate(service.url);
    await created({ types: ['template.archived'], subject: `templates/${templateId}` });
    await archive(await publishedTemplate(service.url));
    await archive(templateId);
    await eventually(() => receiver.messages.length > 0);
    expect(receiver.messages.map(({ event: { type, subject } }) => [type, subject])).toEqual([
      ['template.archived', `templates/${templateId}`],
    ]);
  });

  it('shows its secret once, and nothing of it is stored in the clear', async () => {
    const { secret, webhookId, ...shown } = await created({ description: 'Back office' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(answered(200, await get(at(String(webhookId))))).toEqual({ webhookId, ...shown });
    expect(shown).toMatchObject({ url: receiver.url, types: [], description: 'Back office', status: 'Enabled' });
  });

  it('gets no personal data, no codes and no tokens', async () => {
    await created();
    const offer = await prepareOffer(service.url, [quickStart], { txCode: false });
    const session = await openSession(offer.link);
    await requestCredential(session);
    await eventually(() => typesReceived().includes('credential.issued'));
    const sent = JSON.stringify(receiver.messages.map(({ text, headers }) => [text, headers]));
    expect(sent).toContain(offer.credentialIds[0]);
    for (const value of [claims.given_name, claims.family_name, session.accessToken]) expect(sent).not.toContain(value);
  });

  it('that is deleted gets nothing more', async () => {
    const { webhookId } = await created();
    expect((await send(at(String(webhookId)), { method: 'DELETE' })).status).toBe(204);
    expectProblem(await get(at(String(webhookId))), 404, 'webhook-not-found');
    const other = await startWebhookReceiver();
    await created({ url: other.url });
    await publishedTemplate(service.url);
    await eventually(() => other.messages.length > 0);
    await other.stop();
    expect(receiver.messages).toEqual([]);
  });
});

describe('a test', () => {
  it('sends a signed event at once and says what became of it', async () => {
    const { webhookId, secret } = await created({ types: ['offer.locked'] });
    receiver.answerBy((_message, response) => response.writeHead(500).end());
    const failed = answered(200, await postJson(at(String(webhookId), 'test'), ''));
    expect(failed).toMatchObject({ outcome: 'failed', status: 500, failure: 'unexpected-status' });
    receiver.answerBy((_message, response) => response.writeHead(200).end());
    expect(answered(200, await postJson(at(String(webhookId), 'test'), ''))).toMatchObject({ outcome: 'delivered' });
    expect(typesReceived()).toEqual(['webhook.test', 'webhook.test']);
    for (const message of receiver.messages) expect(() => verifiedEvent(String(secret), message)).not.toThrow();
    expect(await deliveries(webhookId)).toEqual([]);
  });
});

describe('a paused webhook', () => {
  it('gets what came meanwhile once it is resumed', async () => {
    const { webhookId } = await created();
    const paused = answered(200, await patch(webhookId, { status: 'Paused' }));
    expect(paused).toMatchObject({ status: 'Paused', pause: { reason: 'requested' } });
    const templateId = await publishedTemplate(service.url);
    await eventually(async () => (await deliveries(webhookId)).length === 1);
    expect(await deliveries(webhookId)).toMatchObject([{ status: 'Pending', attempts: [] }]);
    expect(answered(200, await patch(webhookId, { status: 'Enabled' }))).not.toHaveProperty('pause');
    await archive(templateId);
    await eventually(() => receiver.messages.length === 2);
    expect(typesReceived()).toEqual(['template.published', 'template.archived']);
  });

  it('is paused by a receiver that is gone, with the reason, and loses nothing', async () => {
    const { webhookId } = await created();
    receiver.answerBy((_message, response) => response.writeHead(410).end());
    await publishedTemplate(service.url);
    await eventually(async () => answered(200, await get(at(String(webhookId))))['status'] === 'Paused');
    expect(answered(200, await get(at(String(webhookId))))).toMatchObject({
      pause: { reason: 'gone', lastFailure: 'status 410' },
    });
    receiver.answerBy((_message, response) => response.writeHead(204).end());
    await patch(webhookId, { status: 'Enabled' });
    await eventually(() => receiver.messages.length === 2);
    expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(1);
  });
});

describe('a new secret', () => {
  it('signs beside the former one until that expires', async () => {
    const { webhookId, secret: former } = await created();
    const rotate = (body: Json) => postJson(at(String(webhookId), 'rotate_secret'), body);
    const { secret, formerSecretExpiresAt } = answered(200, await rotate({}));
    expect(Date.parse(String(formerSecretExpiresAt)) - Date.now()).toBeGreaterThan(86_000_000);
    await postJson(at(String(webhookId), 'test'), '');
    const [first] = receiver.messages;
    if (!first) throw new Error('Nothing was received.');
    for (const one of [former, secret]) expect(() => verifiedEvent(String(one), first)).not.toThrow();
    const { secret: third } = answered(200, await rotate({ formerExpiresIn: 'PT0S' }));
    await postJson(at(String(webhookId), 'test'), '');
    const last = receiver.messages.at(-1);
    if (!last) throw new Error('Nothing was received.');
    expect(() => verifiedEvent(String(third), last)).not.toThrow();
    for (const one of [former, secret]) expect(() => verifiedEvent(String(one), last)).toThrow('No matching signature');
  });
});

describe('a replay', () => {
  const replay = (id: unknown, body: Json) => postJson(at(String(id), 'replay'), body);
  const idsReceived = (): string[] => receiver.messages.map(({ id }) => id);

  it('sends what was stored since a time, in order, also to a webhook that was created later', async () => {
    const before = new Date();
    const templateId = await publishedTemplate(service.url);
    await archive(templateId);
    const { webhookId } = await created({ subject: `templates/${templateId}` });
    expect((await replay(webhookId, { from: before.toISOString() })).status).toBe(204);
    await eventually(() => receiver.messages.length === 2);
    expect(typesReceived()).toEqual(['template.published', 'template.archived']);
  });

  it('sends an event and all that came after it again, with the same ids', async () => {
    const templateId = await publishedTemplate(service.url);
    const { webhookId } = await created({ subject: `templates/${templateId}` });
    for (const action of ['archive', 'publish', 'archive']) {
      answered(200, await postJson(`${service.url}/v0/templates/${templateId}/${action}`, ''));
    }
    await eventually(() => receiver.messages.length === 3);
    await eventually(async () => (await deliveries(webhookId)).every(({ status }) => status === 'Delivered'));
    const [, second, third] = idsReceived();
    expect((await replay(webhookId, { fromEvent: second })).status).toBe(204);
    await eventually(() => receiver.messages.length === 5);
    expect(idsReceived().slice(3)).toEqual([second, third]);
  });

  it('keeps the order of events that are stored meanwhile', async () => {
    const begin = new Date();
    const load = await startEventLoad(service.url, 5);
    await load.produce(300, 5);
    const { webhookId } = await created();
    expect((await replay(webhookId, { from: begin.toISOString() })).status).toBe(204);
    await load.produce(100, 5);
    const all = [...load.stored.values()].flat().length;
    const ofLoad = () => receiver.messages.filter(({ subject }) => load.stored.has(subject));
    await eventually(() => new Set(ofLoad().map(({ id }) => id)).size === all, 30_000);
    const types = new Map(receiver.messages.map(({ id, event }) => [id, event['type']]));
    const arrived = [...firstArrivals(ofLoad())].map(([subject, ids]) => [subject, ids.map((id) => types.get(id))]);
    expect(new Map(arrived as [string, string[]][])).toEqual(load.stored);
  });

  it('is rejected beyond what is kept, and from an event that there is not', async () => {
    const { webhookId } = await created();
    const old = await replay(webhookId, { from: '2020-01-01T00:00:00Z' });
    expectProblem(old, 422, 'replay-not-possible');
    expect(old.json['detail']).toMatch(/^Events before 20\d\d-.*Z cannot be sent again/);
    expectProblem(await replay(webhookId, { fromEvent: '999999999' }), 404, 'event-not-found');
    expectProblem(await replay(webhookId, {}), 400, 'validation-failed');
    expectProblem(
      await replay(webhookId, { from: new Date().toISOString(), fromEvent: '1' }),
      400,
      'validation-failed',
    );
    expect(await deliveries(webhookId)).toEqual([]);
  });
});
