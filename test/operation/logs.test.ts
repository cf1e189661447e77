import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { encodingsOf } from '../support/database/dump';
import { type TestPostgres, startPostgres } from '../support/database/postgres';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { reachThroughProxy } from '../support/http/public-address';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { offerUri, openSession, readOffer, redeem, requestCredential } from '../support/wallets/wallet';

type Line = Record<string, unknown>;

const url = 'https://credentials.example';
const portalKey = `portal-${randomBytes(16).toString('hex')}`;

let postgres: TestPostgres;
let database: string;
let service: ServiceProcess;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  service = await startServiceProcess(database, url, {
    SERVICE__PROFILE: 'production',
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'a-password-of-this-test',
    SERVICE__MANAGEMENT__API_KEYS: portalKey,
    SERVICE__LOG__LEVEL: 'trace',
    SERVICE__METRICS__ENABLED: 'true',
    SERVICE__METRICS__PORT: '0',
  });
  const headersOf = (path: string): Record<string, string> =>
    path.startsWith('/v0/') ? { authorization: `Bearer ${portalKey}` } : {};
  reachThroughProxy(url, { listenerOf: () => service.url, headersOf });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
  await postgres.stop();
});

/** Every line of the log so far; a line that is no JSON fails. */
const lines = (): Line[] =>
  service
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** The lines with this request id, once the line about the answer is there. */
async function linesOf(requestId: string): Promise<Line[]> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const own = service.output().includes(requestId) ? lines().filter((line) => line['requestId'] === requestId) : [];
    if (own.some(({ event }) => event === 'request.answered')) return own;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`There is no line of the request ${requestId}.`);
}

describe('the log in production', () => {
  it('begins with name and version of the service, as JSON', () => {
    expect(lines().find(({ event }) => event === 'service.ready')).toMatchObject({
      level: 'info',
      msg: 'Sealwright is ready',
      profile: 'production',
      eventStore: 'postgres',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      metricsPort: expect.any(Number),
    });
    expect(service.output()).not.toMatch(/InstanceLoader|RouterExplorer|Mapped \{/);
  });

  it.each([
    ['GET', '/v0/offers/some-offer?state=x', '/v0/offers/:offerId', 400],
    ['GET', '/v0/offers/some-offer', '/v0/offers/:offerId', 404],
    ['POST', '/v0/offers', '/v0/offers', 400],
    ['DELETE', '/v0/offers/some-offer', '/v0/offers/:offerId', 404],
    ['GET', '/v0/authorization_requests/some-state', '/v0/authorization_requests/:state', 404],
    ['GET', '/openid4vci/offers/some-handle', '/openid4vci/offers/:handle', 404, 'not-open'],
    ['POST', '/openid4vci/token?code=secret', '/openid4vci/token', 400, 'wrong-content-type'],
    ['GET', '/jwks.json', '/jwks.json', 200],
    ['HEAD', '/jwks.json', '/jwks.json', 200],
    ['GET', '/some-secret-path', 'unmatched', 404],
    ['PUT', '/v0/offers', 'unmatched', 405],
    ['GET', '/v0/offers/%zz', 'unmatched', 400],
  ])('has one line for %s %s, with the route %s', async (method, path, route, status, reason = '') => {
    const requestId = randomBytes(12).toString('hex');
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    const reply = await send(url + path, { method, headers: { 'x-request-id': requestId, traceparent } });
    expect(reply.status).toBe(status);
    const own = await linesOf(requestId);
    expect(own).toHaveLength(1);
    const isPortal = path.startsWith('/v0/');
    expect(own[0]).toEqual({
      level: 'info',
      time: expect.any(String),
      context: 'Http',
      event: 'request.answered',
      requestId,
      traceId,
      ...(isPortal && { principal: expect.stringMatching(/^settings-key:/), client: 'settings' }),
      method,
      route,
      status,
      ...(reason !== '' && { error: 'invalid_request', reason }),
      durationMs: expect.any(Number),
    });
    expect(service.output()).not.toMatch(/some-(offer|state|handle|secret)|code=/);
  });

  it('names the route of a call that was rejected before its handler, and the reason', async () => {
    const requestId = randomBytes(12).toString('hex');
    const headers = { 'x-request-id': requestId, authorization: 'Bearer wrong-key' };
    const { status, json } = await get(`${url}/v0/offers/some-offer`, headers);
    expect(status).toBe(401);
    expect(json).not.toHaveProperty('debug');
    const [refusal, answer] = await linesOf(requestId);
    expect(refusal).toMatchObject({ level: 'warn', event: 'access.refused', reason: 'key-malformed' });
    expect(answer).toMatchObject({ event: 'request.answered', route: '/v0/offers/:offerId', status: 401 });
  });

  it('has no line above debug for probes and metrics', async () => {
    for (const probe of ['livez', 'readyz']) {
      const requestId = randomBytes(12).toString('hex');
      await get(`${url}/${probe}`, { 'x-request-id': requestId });
      expect(await linesOf(requestId)).toMatchObject([{ level: 'debug', route: `/${probe}`, status: 200 }]);
    }
    const { metricsPort } = lines().find(({ event }) => event === 'service.ready') as { metricsPort: number };
    const before = lines().length;
    expect((await get(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);
    expect(lines()).toHaveLength(before);
  });

  it('has a line for a client that disconnected', async () => {
    const requestId = randomBytes(12).toString('hex');
    const locker = new Client({ connectionString: database });
    await locker.connect();
    await locker.query('begin; lock table streams in access exclusive mode');
    const aborted = fetch(`${url}/v0/offers`, {
      headers: { 'x-request-id': requestId },
      signal: AbortSignal.timeout(300),
    });
    await expect(aborted).rejects.toThrow();
    const [line] = await linesOf(requestId);
    await locker.end();
    expect(line).toMatchObject({ route: '/v0/offers', status: 499 });
  });
});

describe('an unexpected failure', () => {
  it('is in the log with the id of the answer and its stack, and nothing of what was sent', async () => {
    const client = new Client({ connectionString: database });
    await client.connect();
    // The database quotes the whole row in its error.
    await client.query(`alter table streams add constraint planted check (state::text not like '%canary-500%')`);
    const requestId = randomBytes(12).toString('hex');
    const reply = await postJson(`${url}/v0/offers`, { offerId: 'canary-500' }, { 'x-request-id': requestId });
    await client.query('alter table streams drop constraint planted');
    await client.end();
    expect(reply.status).toBe(500);
    expect(reply.json['instance']).toMatch(/^urn:uuid:/);
    const [failure, answer] = await linesOf(requestId);
    expect(failure).toMatchObject({
      level: 'error',
      event: 'request.failed',
      instance: reply.json['instance'],
      principal: expect.any(String),
      err: { name: 'SqlError', code: '23514', stack: expect.stringMatching(/^ {4}at .*\.js:\d+:\d+/) },
    });
    expect(answer).toMatchObject({ level: 'warn', event: 'request.answered', status: 500 });
    expect(service.output()).not.toContain('canary-500');
  });
});

describe('what people, portals and wallets entrust to the service', () => {
  const secrets = new Map<string, string>([['the key of the portal', portalKey]]);
  const keep = (what: string, value = ''): string => {
    if (value.length < 6) throw new Error(`There is no ${what}.`);
    secrets.set(what, value);
    return value;
  };
  const marked = (what: string): string => keep(what, `canary-${randomBytes(12).toString('hex')}`);

  beforeAll(async () => {
    const cookie = `session=${marked('a cookie')}`;
    const headers = { cookie, 'x-anything': marked('a header'), 'user-agent': marked('a user agent') };
    const credential = { credentialSubject: { [marked('the name of a claim')]: marked('a claim') } };
    const w3c = await publishedTemplate(url, { format: 'jwt_vc_json', vct: undefined, schema: { type: 'object' } });
    const offer = await prepareOffer(url, [w3c], { txCode: { length: 12 } }, { credential });
    keep('the id of an offer', offer.offerId);
    keep('the handle of an offer', offerUri(offer.link).slice(-43));
    keep('the transaction code', offer.txCode);
    await send(offerUri(offer.link), { headers });
    const read = await readOffer(offer.link);
    keep('the code', read.code);
    await redeem(read, { tx_code: keep('a wrong transaction code', '918273645546') });
    const session = await openSession(offer.link, 'F', { tx_code: offer.txCode });
    keep('the access token', session.accessToken);
    const issued = answered(200, await requestCredential(session, { headers }));
    keep('the notification id', String(issued['notification_id']));
    keep('a credential', JSON.stringify(issued['credentials']).slice(-60, -6));
    await get(`${url}/v0/credentials/${offer.credentialIds[0] ?? ''}`, headers);
    await presentations();
    await refusals(session.accessToken);
  });

  async function presentations(): Promise<void> {
    const holdings = await receiveHoldings(url, { given_name: marked('a presented claim'), level: 1 });
    const state = marked('the state of a request');
    const nonce = marked('the nonce of a request');
    const asked = await ask(url, { state, nonce, dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    keep('the handle of a request', new URL(received.responseUri).pathname.split('/').at(-2));
    await respond(received, { tokens: { id_card: marked('a bad presentation') } });
    const tokens = tokensFor(holdings, received, ['id_card']);
    keep('a presentation', tokens['id_card']?.slice(-60));
    answered(200, await respond(received, { tokens }));
    await resultOf(asked);
  }

  /** Answers of every kind that might quote the request. */
  async function refusals(accessToken: string): Promise<void> {
    const marker = marked('what was refused');
    const query = `?${marker}=${marker}&access_token=${marker}`;
    for (const path of ['/v0/offers', '/openid4vci/credential', `/${marker}`, `/v0/templates/${marker}`, '/jwks.json'])
      for (const method of ['GET', 'POST'])
        await send(url + path + query, { method, body: method === 'POST' ? marker : null });
    await postJson(`${url}/v0/credentials`, `{"${marker}": "${marker}`);
    await postJson(`${url}/v0/credentials`, { offerId: marker, credential: marker, [marker]: marker });
    await postJson(`${url}/v0/templates`, { title: marker, schema: { type: marker }, expiration: marker });
    await postJson(`${url}/openid4vci/credential`, { format: marker }, { authorization: `Bearer ${marker}` });
    await postJson(`${url}/openid4vci/credential`, marker, { authorization: `Bearer ${accessToken}` });
    await get(`${url}/v0/offers`, { authorization: `Bearer ${marker}` });
    await get(`${url}/v0/offers`, { authorization: `Basic ${Buffer.from(marker).toString('base64')}` });
    await postJson(`${url}/v0/offers`, { offerId: 'x' }, { 'idempotency-key': marker });
    // A well-formed id would be accepted, and appear in the log.
    await get(`${url}/v0/offers`, { 'x-request-id': `"${marker}"`, traceparent: marker });
  }

  it('appears in no line of the log at level trace, in no encoding', () => {
    expect(lines().filter(({ event }) => event === 'request.answered').length).toBeGreaterThan(50);
    const found = [...secrets].flatMap(([what, secret]) =>
      Object.entries(encodingsOf(secret))
        .filter(([, text]) => service.output().includes(text))
        .map(([encoding]) => `${what} (${encoding})`),
    );
    expect(found).toEqual([]);
  });

  it('has not been removed from any line: no caller logs it in the first place', () => {
    expect(lines().filter((line) => 'dropped' in line)).toEqual([]);
  });
});
