import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectRefused, type RefusedBodies, rowsOf } from '../support/portal/refused-bodies';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { freePort, type RunningService, startService } from '../support/service/service';
import { storedRows } from '../support/database/stored-rows';

let service: RunningService;
let wallet: Server;
let closedPort: number;
const templates: Record<string, string> = {};

const constant = { type: 'object', properties: { event: { const: 'Open day' } } };
// More of them are listed in libs/templates/src/configuration/constant-claims.spec.ts.
const openSchemas: Readonly<Record<string, Json>> = {
  'no properties': { type: 'object' },
  'one open claim among constant ones': { ...constant, properties: { event: { const: 1 }, name: {} } },
};

beforeAll(async () => {
  wallet = createServer((request, response) => {
    const moved = request.url?.startsWith('/moved') === true;
    response.writeHead(moved ? 302 : 404, moved ? { location: 'https://10.0.0.1/' } : {}).end();
  });
  await new Promise<void>((resolve) => wallet.listen(0, '127.0.0.1', resolve));
  closedPort = await freePort();
  const allowed = [`127.0.0.1:${walletPort()}`, `127.0.0.1:${closedPort}`].join();
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: allowed });
  for (const [name, schema] of Object.entries({ ...openSchemas, constant })) {
    templates[name] = await publishedTemplate(service.url, { schema });
  }
});
afterAll(async () => {
  wallet.close();
  await service.stop();
});

const walletPort = (): number => (wallet.address() as AddressInfo).port;

describe('an offer that does not exist', () => {
  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/qr.svg'],
    ['GET', '/qr.png'],
    ['GET', '/page'],
    ['POST', '/send'],
    ['POST', '/take_offline'],
    ['POST', '/take_online'],
  ])('is missing for %s /v0/offers/{offerId}%s', async (method, action) => {
    const before = await storedRows(service);
    const path = `/v0/offers/${randomUUID()}${action}`;
    const body = action === '/send' ? JSON.stringify({ targetUrl: 'https://wallet.example/' }) : undefined;
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const reply = await send(service.url + path, { method, headers, ...(body !== undefined && { body }) });
    expectProblem(reply, 404, 'missing-credential-offer', 'Missing Credential Offer');
    expect(reply.json['instance']).toBe(path);
    expect(await storedRows(service)).toEqual(before);
  });
});

describe('POST /v0/offers rejects for an authorization code', () => {
  const problems: RefusedBodies[] = [
    {
      name: 'Validation Failed',
      status: 400,
      slug: 'validation-failed',
      rows: [
        ['an empty list of grants', { grants: [] }, '/grants'],
        ['a grant twice', { grants: ['authorization_code', 'authorization_code'] }, '/grants'],
        ['an unknown grant', { grants: ['implicit'] }, '/grants'],
        ['an unknown identification', { identification: 'passport' }, '/identification'],
        ['an identification without the grant', { grants: undefined, identification: 'portal' }, '/identification'],
        [
          'a subject with the pre-authorized code alone',
          { grants: ['pre-authorized_code'], expectedSubject: { claim: 'sub', value: '1' } },
          '/expectedSubject',
        ],
        [
          'a subject whom a pre-authorized code would not ask for',
          { grants: ['pre-authorized_code', 'authorization_code'], expectedSubject: { claim: 'sub', value: '1' } },
          '/expectedSubject',
        ],
        ['a subject without a value', { expectedSubject: { claim: 'sub' } }, '/expectedSubject/value'],
        ['a subject with a number', { expectedSubject: { claim: 'sub', value: 1 } }, '/expectedSubject/value'],
      ],
    },
    {
      name: 'Conflict',
      status: 409,
      slug: 'conflict',
      rows: [
        ['a subject whom nobody asks', { identification: 'portal', expectedSubject: { claim: 'sub', value: '1' } }],
      ],
    },
    {
      name: 'Setting Missing',
      status: 409,
      slug: 'setting-missing',
      rows: [['a login that is not configured', { identification: 'openid' }]],
    },
  ];
  const valid = (): Json => ({ offerId: randomUUID(), grants: ['authorization_code'] });

  it.each(rowsOf(problems))('$name: $what', async (refused) => {
    await expectRefused(service, '/v0/offers', valid(), refused);
  });
});

describe('POST /v0/offers rejects as public', () => {
  const problems: RefusedBodies[] = [
    {
      name: 'Template Not Eligible For Public Offer',
      status: 422,
      slug: 'template-not-eligible-for-public-offer',
      rows: [
        ...Object.keys(openSchemas).map(
          (name) => [`a template with ${name}`, () => ({ templateIds: [templates[name]] })] as const,
        ),
        [
          'an eligible template together with one that is not',
          () => ({ templateIds: [templates['constant'], templates['no properties']] }),
        ],
      ],
    },
    {
      name: 'Validation Failed',
      status: 400,
      slug: 'validation-failed',
      rows: [
        ['a transaction code', { txCode: true }, '/txCode'],
        ['public a text', { public: 'yes' }, '/public'],
        [
          'a subject',
          { grants: ['authorization_code'], expectedSubject: { claim: 'sub', value: '1' } },
          '/expectedSubject',
        ],
      ],
    },
  ];
  const valid = (): Json => ({ offerId: randomUUID(), templateIds: [templates['constant']], public: true });

  it.each(rowsOf(problems))('$name: $what', async (refused) => {
    await expectRefused(service, '/v0/offers', valid(), refused);
  });

  it('not a template whose every leaf is constant', async () => {
    answered(201, await postJson(`${service.url}/v0/offers`, valid()));
  });
});

describe('sending an offer', () => {
  it.each([
    ['a private address', 'https://10.0.0.1/', 'no public address'],
    ['a host that does not exist', 'https://wallet.invalid/', 'no public address'],
    ['plain http', 'http://wallet.example/', 'must be public'],
    ['a user name', 'https://user@wallet.example/', 'must be public'],
    ['a port', 'https://wallet.example:8443/', 'must be public'],
  ])('is refused for %s, before anything is sent or recorded', async (_what, targetUrl, detail) => {
    const { offerId } = await prepareOffer(service.url);
    const before = await storedRows(service);
    for (const [path, body] of [
      [`${offerId}/send`, { targetUrl }],
      ['send', { offerId, targetUrl }],
    ] as const) {
      const reply = await postJson(`${service.url}/v0/offers/${path}`, body);
      expectProblem(reply, 400, 'webhook-url-not-allowed');
      expect(reply.json['detail']).toContain(detail);
      expect(reply.json['violations']).toMatchObject([{ pointer: '/targetUrl' }]);
    }
    expect((await storedRows(service)).events).toBe(before.events);
  });

  it('is asked for with its id in the body as well', async () => {
    const { offerId } = await prepareOffer(service.url);
    const sendBy = (body: Json) => postJson(`${service.url}/v0/offers/send`, body);
    const targetUrl = `http://127.0.0.1:${walletPort()}/x`;
    const failed = await sendBy({ offerId, targetUrl });
    expectProblem(failed, 502, 'send-credential-offer-error', 'Send Credential Offer Error');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect((timeline as Json[]).at(-1)).toMatchObject({ step: 'sent', outcome: 'failed' });
    expectProblem(await sendBy({ offerId: 'none', targetUrl }), 404, 'missing-credential-offer');
    for (const missing of ['offerId', 'targetUrl']) {
      const refused = await sendBy({ offerId, targetUrl, [missing]: undefined });
      expectProblem(refused, 400, 'validation-failed');
      expect(refused.json['violations']).toMatchObject([{ pointer: `/${missing}` }]);
    }
  });

  it.each([
    ['a server that answers 404', () => `http://127.0.0.1:${walletPort()}/x`, 'unexpected-status'],
    [
      'a server that redirects to a private address',
      () => `http://127.0.0.1:${walletPort()}/moved`,
      'no-public-address',
    ],
    ['a port without a listener', () => `http://127.0.0.1:${closedPort}/`, 'connection-failed'],
  ])('fails at %s with the reason', async (_what, targetUrl, reason) => {
    const { offerId } = await prepareOffer(service.url);
    const read = async () => {
      const { timeline, ...offer } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
      return { offer, timeline: timeline as Json[], rows: await storedRows(service) };
    };
    const before = await read();
    const reply = await postJson(`${service.url}/v0/offers/${offerId}/send`, { targetUrl: targetUrl() });
    expectProblem(reply, 502, 'send-credential-offer-error', 'Send Credential Offer Error');
    expect(reply.json['detail']).toContain(reason);
    expect(reply.json['instance']).toBe(`/v0/offers/${offerId}/send`);
    const after = await read();
    // The attempt leaves a mark and changes nothing.
    expect(after.offer).toEqual(before.offer);
    expect(after.timeline.slice(0, -1)).toEqual(before.timeline);
    expect(after.timeline.at(-1)).toMatchObject({ step: 'sent', outcome: 'failed' });
    expect(after.rows).toEqual({ ...before.rows, events: before.rows.events + 1 });
  });
});
