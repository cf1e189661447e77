import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { eventually } from '../event-store/accounts';

let service: RunningService;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  // As in production, where no private host is allowed, but for one that is needed to have a webhook at all.
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: receiver.host });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const at = (...path: string[]): string => [`${service.url}/v0/webhooks`, ...path].join('/');
const create = (body: Json): Promise<Reply> => postJson(at(), body);
const patch = (id: string, body: Json): Promise<Reply> =>
  send(at(id), { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const stored = async (): Promise<unknown> => answered(200, await get(at()))['items'];
async function webhookId(): Promise<string> {
  return String(answered(201, await create({ url: receiver.url }))['webhookId']);
}
const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('a webhook is rejected, and nothing is stored', () => {
  it.each([
    ['http', 'http://portal.example/hooks', /not an https URL/],
    ['another scheme', 'ftp://portal.example/hooks', /not an https URL/],
    ['a port', 'https://portal.example:8443/hooks', /port other than 443/],
    ['a user name and password', 'https://user:canary-1@portal.example/hooks', /user name or password/],
    ['loopback', 'https://127.0.0.1/hooks', /no public address/],
    ['loopback as one number', 'https://2130706433/hooks', /no public address/],
    ['loopback as IPv6', 'https://[::1]/hooks', /no public address/],
    ['a private address', 'https://10.0.0.8/hooks', /no public address/],
    ['the address of cloud metadata', 'https://169.254.169.254/latest', /no public address/],
    ['a name for loopback', 'https://localhost/hooks', /no public address/],
    ['a name that does not resolve', 'https://nowhere.invalid/hooks', /no public address/],
  ])('with %s', async (_name, url, detail) => {
    const before = await stored();
    const reply = await create({ url });
    expectProblem(reply, 400, 'webhook-url-not-allowed');
    expect(reply.json['detail']).toMatch(detail);
    expect(reply.text).not.toContain('canary-1');
    expect(await stored()).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['too short', secretOf(23)],
    ['too long', secretOf(65)],
    ['without its prefix', secretOf(24).slice('whsec_'.length)],
    ['of another kind', 'sk_live_0123456789abcdef0123456789abcdef'],
    ['that is no text', 7],
  ])('with a secret %s', async (_name, secret) => {
    const before = await stored();
    const reply = await create({ url: receiver.url, secret });
    expectProblem(reply, 400, 'invalid-webhook-secret');
    expect(reply.text).not.toContain(String(secret).slice(0, 30).padEnd(8, '#'));
    expect(await stored()).toEqual(before);
  });

  it.each<[string, Json, string]>([
    ['an unknown type', { types: ['credential.issued', 'credential.printed'] }, '/types'],
    ['types that are no list', { types: 'credential.issued' }, '/types'],
    ['a subject that there is not', { subject: 'people/erika' }, '/subject'],
    ['a subject with the path of the API', { subject: '/v0/offers/4711' }, '/subject'],
    ['no URL', { url: undefined }, '/url'],
    ['a URL that is none', { url: 'portal.example/hooks' }, '/url'],
    ['an unknown property', { event_types: [] }, '/event_types'],
    ['a state', { status: 'Paused' }, '/status'],
  ])('with %s', async (_name, changes, pointer) => {
    const before = await stored();
    const reply = await create({ url: receiver.url, ...changes });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer }]);
    expect(await stored()).toEqual(before);
  });
});

describe('a change of a webhook is rejected', () => {
  it('with a URL that is not public, and with a secret', async () => {
    const id = await webhookId();
    expectProblem(await patch(id, { url: 'https://127.0.0.1/hooks' }), 400, 'webhook-url-not-allowed');
    const reply = await patch(id, { secret: secretOf(24) });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['detail']).toContain('rotate it: POST /v0/webhooks/{webhookId}/rotate_secret');
    const rotated = await postJson(at(id, 'rotate_secret'), { secret: 'short' });
    expectProblem(rotated, 400, 'invalid-webhook-secret');
    const long = await postJson(at(id, 'rotate_secret'), { formerExpiresIn: 'P8D' });
    expectProblem(long, 400, 'validation-failed');
    expect(answered(200, await get(at(id)))).toMatchObject({ url: receiver.url, formerSecretExpiresAt: null });
  });

  it('when it was made for another version', async () => {
    const id = await webhookId();
    const stale = (await get(at(id))).headers.get('etag') ?? '';
    answered(200, await patch(id, { description: 'Back office' }));
    const remove = await send(at(id), { method: 'DELETE', headers: { 'if-match': stale } });
    expectProblem(remove, 412, 'version-conflict');
  });
});

describe('an id that no webhook has', () => {
  it.each<[string, string, Json | undefined]>([
    ['GET', '', undefined],
    ['PATCH', '', { description: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/test', undefined],
    ['POST', '/rotate_secret', {}],
    ['POST', '/replay', { from: new Date().toISOString() }],
    ['GET', '/deliveries', undefined],
  ])('is named by %s %s', async (method, path, body) => {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const reply = await send(`${at('unknown')}${path}`, { method, ...json });
    expectProblem(reply, 404, 'webhook-not-found');
    expect(reply.json['detail']).toBe('There is no webhook with the id unknown.');
  });
});

describe('a receiver that redirects', () => {
  it('is not followed, and its answer is kept nowhere', async () => {
    const id = await webhookId();
    const elsewhere = await startWebhookReceiver();
    receiver.answerBy((_message, response) => response.writeHead(307, { location: elsewhere.url }).end('canary-2'));
    await publishedTemplate(service.url);
    const log = async () => answered(200, await get(at(id, 'deliveries')))['items'] as Json[];
    await eventually(async () => (await log()).some(({ attempts }) => (attempts as unknown[]).length > 0));
    expect(await log()).toMatchObject([
      { status: 'Pending', attempts: [{ status: 307, failure: 'unexpected-status' }] },
    ]);
    expect(JSON.stringify(await log())).not.toContain('canary-2');
    expect(elsewhere.messages).toEqual([]);
    await elsewhere.stop();
  });
});
