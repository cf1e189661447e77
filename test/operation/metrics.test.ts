import { ApiKeys } from '@app/access';
import { newApiKey } from '@app/access/src/api-key-text';
import { certificateUses, trustPurposes } from '@app/identity';
import { Settings } from '@app/config';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { MetricsListener } from '@app/observability';
import { dropReasons } from '@app/event-store/src/errors';
import { provenTables } from '@app/observability/src/metrics/measured';
import { refusalReasons } from '@app/openid4vc/src/wire/refusal-reason';
import { outboundPurposes } from '@app/outbound';
import { rateLimits } from '@app/http/src/limits/rate-limits';
import { eventCounters } from '../../apps/server/src/event-counters';
import { eventually } from '../event-store/accounts';
import { type Sample, scrape, valueOf } from '../support/service/scraped-metrics';
import { sharedPostgres } from '../support/database/postgres';
import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer } from '../support/portal/portal';
import { servedRoutes } from '../support/service/routes';
import { freePort, type RunningService, startService } from '../support/service/service';
import { asOwner, asServiceRole } from '../support/database/service-role';
import { nonceFrom, openSession, readOffer, redeem } from '../support/wallets/wallet';

const postgres = sharedPostgres();
let service: RunningService;
let port: number;
let database: string;

beforeAll(async () => {
  database = await postgres.createDatabase();
  service = await startService({
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(database),
    SERVICE__METRICS__ENABLED: 'true',
    SERVICE__METRICS__PORT: '0',
    SERVICE__RATE_LIMITS__ENABLED: 'true',
  });
  port = service.app.get(MetricsListener).port ?? 0;
});
afterAll(async () => {
  await service.stop();
});

/** By how much the counters have grown, by name and outcome; unchanged ones are left out. */
async function growth(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counters = /^sealwright_(offers|credentials|presentations)_total$/;
  const key = ({ name, labels }: Sample): string => [name.split('_')[1], labels['format'], labels['outcome']].join(' ');
  const before = await scrape(port);
  await work();
  const after = await scrape(port);
  const grown = after
    .filter(({ name }) => counters.test(name))
    .map((sample) => [key(sample), sample.value - valueOf(before, sample.name, sample.labels)] as const);
  return Object.fromEntries(grown.filter(([, by]) => by !== 0));
}

describe('the metrics', () => {
  let holdings: Holdings;

  // First, as the refusals of wallets in the others are stored some time after their answers.
  it('count nothing that was rolled back', async () => {
    const { offerId } = await prepareOffer(service.url);
    const append = { outcome: 'stored' };
    const before = valueOf(await scrape(port), 'sealwright_append_duration_seconds_count', append);
    const twice = { offerId, credentialConfigurationId: 'w3c_vc_credential', credential: { credentialSubject: {} } };
    expect(await growth(() => postJson(`${service.url}/v0/credentials`, twice))).toEqual({});
    // The refusal is recorded in the audit, and nothing else is stored.
    expect(valueOf(await scrape(port), 'sealwright_append_duration_seconds_count', append)).toBe(before + 1);
  });

  it('count an issuance by what was stored', async () => {
    const grown = await growth(async () => {
      holdings = await receiveHoldings(service.url, { given_name: 'Erika', level: 1 });
    });
    expect(grown).toEqual({
      'offers  created': 2,
      'offers  fetched': 2,
      'offers  redeemed': 2,
      'credentials jwt_vc_json prepared': 1,
      'credentials jwt_vc_json issued': 1,
      'credentials dc+sd-jwt prepared': 1,
      'credentials dc+sd-jwt issued': 1,
    });
  });

  it('count a presentation, also one that was rejected at first', async () => {
    const grown = await growth(async () => {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
      const received = await receiveRequest(asked);
      await respond(received, { tokens: { id_card: 'a~b~c' } });
      const tokens = tokensFor(holdings, received, ['id_card']);
      answered(200, await respond(received, { tokens }));
    });
    expect(grown).toEqual({
      'presentations  requested': 1,
      'presentations  retrieved': 1,
      'presentations  rejected': 1,
      'presentations  verified': 1,
    });
  });

  it('count what goes wrong with offers', async () => {
    const grown = await growth(async () => {
      const locked = await prepareOffer(service.url, undefined, { txCode: true });
      const offer = await readOffer(locked.link);
      for (let attempt = 0; attempt < 5; attempt++) await redeem(offer, { tx_code: 'wrong' });
      const withdrawn = await prepareOffer(service.url);
      await send(`${service.url}/v0/offers/${withdrawn.offerId}`, { method: 'DELETE' });
      await expect(openSession(withdrawn.link)).rejects.toThrow();
    });
    expect(grown).toEqual({
      'offers  created': 2,
      'offers  fetched': 1,
      'offers  wrong_transaction_code': 5,
      'offers  refused': 5,
      'offers  locked': 1,
      'offers  withdrawn': 1,
      'credentials jwt_vc_json prepared': 2,
    });
  });

  it('time requests by route template', async () => {
    const count = async (labels: Record<string, string>): Promise<number> =>
      valueOf(await scrape(port), 'sealwright_http_request_duration_seconds_count', labels);
    const offer = { method: 'GET', route: '/v0/offers/:offerId', status: '404' };
    const stray = { method: 'GET', route: 'unmatched', status: '404' };
    const before = [await count(offer), await count(stray)];
    for (const id of ['one', 'two', 'three']) await get(`${service.url}/v0/offers/${id}?x`.slice(0, -2));
    await get(`${service.url}/.env?secret=1`);
    await get(`${service.url}/v0/offers/one/two/three`);
    expect([await count(offer), await count(stray)]).toEqual([(before[0] ?? 0) + 3, (before[1] ?? 0) + 2]);
  });

  it('do not count probes as requests', async () => {
    await get(`${service.url}/readyz`);
    await get(`${service.url}/livez`);
    const routes = (await scrape(port)).map(({ labels }) => labels['route']);
    expect(routes.filter((route) => /livez|readyz|metrics/.test(route ?? ''))).toEqual([]);
  });

  it('time signatures and appends in seconds', async () => {
    const samples = await scrape(port);
    for (const [name, labels] of [
      ['signing_duration_seconds', { algorithm: 'ES256' }],
      ['append_duration_seconds', { outcome: 'stored' }],
    ] as const) {
      const count = valueOf(samples, `sealwright_${name}_count`, labels);
      const mean = valueOf(samples, `sealwright_${name}_sum`, labels) / count;
      expect(count).toBeGreaterThan(1);
      expect(mean > 0.000_01 && mean < 1).toBe(true);
    }
  });

  it('count failures to count rate limits, for lack of a right', async () => {
    const role = new URL(service.app.get(Settings).eventStore.connectionString).username;
    const failures = async (): Promise<number> => valueOf(await scrape(port), 'sealwright_rate_limit_failures_total');
    const before = await failures();
    await asOwner(database, `revoke insert on rate_limits from ${role}`);
    try {
      expect((await get(`${service.url}/v0/offers`, { 'x-api-key': 'wrong' })).status).toBe(401);
      // The answer does not wait for the count.
      await eventually(async () => (await failures()) === before + 1);
    } finally {
      await asOwner(database, `grant insert on rate_limits to ${role}`);
    }
  });

  it('tell apart units of work that lost from those that were stored', async () => {
    const store = service.app.get(EventStore);
    const use = async (): Promise<void> => store.consume({ kind: 'once', hash: Buffer.from('once') });
    await use();
    await expect(use()).rejects.toThrow();
    const samples = await scrape(port);
    expect(valueOf(samples, 'sealwright_append_duration_seconds_count', { outcome: 'conflict' })).toBe(1);
  });

  it('show the pool, the build and the event loop', async () => {
    const samples = await scrape(port);
    const connections = samples.filter(({ name }) => name === 'sealwright_database_connections');
    expect(connections.map(({ labels }) => labels['state']).sort()).toEqual(['busy', 'idle', 'waiting']);
    expect(connections.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
    const build = samples.find(({ name }) => name === 'sealwright_build_info');
    expect(build).toMatchObject({
      labels: { node: process.version, version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    });
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_cpu_seconds_total', 'nodejs_heap_size_used_bytes'])
      expect(samples.some((sample) => sample.name === name)).toBe(true);
  });

  it('show how far subscriptions are behind', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const subscription = service.app.get(EventStore).subscribe('watcher', () => held);
    const lags = (await scrape(port)).filter(({ name }) => name === 'sealwright_subscription_lag_seconds');
    release();
    await subscription.stop();
    const lagOf = new Map(lags.map(({ labels, value }) => [labels['subscription'], value]));
    expect([...lagOf.keys()].sort()).toEqual(['checkpoints', 'event-streams', 'status-lists', 'watcher', 'webhooks']);
    expect(lagOf.get('watcher')).toBeGreaterThan(0);
    // Nobody listens.
    expect(lagOf.get('event-streams')).toBe(0);
  });

  it('count a key that was changed in the database; its caller gets the answer for an unknown key', async () => {
    const caller = (text: string) => fetch(`${service.url}/v0/offers`, { headers: { 'x-api-key': text } });
    const { id, text } = await service.app.get(ApiKeys).create({ name: 'altered', scopes: ['offers:read'] });
    const change = (name: string, sql: string): Promise<unknown> =>
      service.app.get<SqlDriver>(SQL_DRIVER).query({ name, text: sql, values: [] });
    await change('more-scopes', `update api_keys set scopes = array_append(scopes, 'audit:read') where id = '${id}'`);
    const heard = async (response: Response) => {
      const body = (await response.json()) as Record<string, unknown>;
      return { status: response.status, ...body, instance: undefined, requestId: undefined };
    };
    expect(await heard(await caller(text))).toEqual(await heard(await caller(newApiKey().text)));
    const samples = await scrape(port);
    expect(valueOf(samples, 'sealwright_altered_rows_total', { table: 'api_keys' })).toBe(1);
    expect(valueOf(samples, 'sealwright_altered_rows_total', { table: 'key_store' })).toBe(0);
  });

  it('count rejected callers, and those that were told to retry later', async () => {
    const asked = (): Promise<unknown> => get(`${service.url}/v0/offers`, { 'x-api-key': 'a-wrong-key-of-a-client' });
    for (let attempt = 0; attempt < 12; attempt++) await asked();
    await eventually(async () => {
      await asked();
      return valueOf(await scrape(port), 'sealwright_rate_limited_total', { limit: 'failed-access' }) > 0;
    });
    const samples = await scrape(port);
    const refused = (reason: string): number => valueOf(samples, 'sealwright_access_refused_total', { reason });
    // From then on its wrong keys are not checked.
    const wrong = ['key-malformed', 'key-altered', 'key-unknown'].reduce((sum, reason) => sum + refused(reason), 0);
    expect(wrong).toBeGreaterThanOrEqual(rateLimits['failed-access']);
    expect(refused('rate-limited')).toBeGreaterThan(0);
  });

  it('show for how long certificates last', async () => {
    const samples = await scrape(port);
    const year = 365 * 24 * 3600;
    // That for metadata takes the place of another one; in development it is never made.
    for (const use of certificateUses.filter((each) => each !== 'metadata')) {
      const left = valueOf(samples, 'sealwright_certificate_expires_seconds', { use, algorithm: 'ES256' });
      expect(left).toBeGreaterThan(year);
    }
  });

  // Each label value is a permanent series, so labels must not hold ids.
  it('have no labels but constants of the code', async () => {
    await nonceFrom(`${service.url}/openid4vci`);
    const words = new Set([
      ...servedRoutes(service.app).map(({ path }) => path),
      ...eventCounters.flatMap(({ series }) => series.flatMap((labels) => Object.values(labels))),
      ...[
        'unmatched',
        'GET',
        'POST',
        'DELETE',
        'ES256',
        'EdDSA',
        'jwt_vc_json',
        'dc+sd-jwt',
        'watcher',
        'checkpoints',
        'event-streams',
        ...['healthy', 'failing', 'paused'],
      ],
      ...['stored', 'conflict', 'failed', 'idle', 'busy', 'waiting', ...dropReasons],
      ...Object.keys(rateLimits),
      ...outboundPurposes,
      ...trustPurposes,
      ...certificateUses,
      ...['key-malformed', 'key-altered', 'key-unknown', ...provenTables],
      'rate-limited',
      ...['invalid_request', 'invalid_grant', ...refusalReasons],
    ]);
    const ours = (await scrape(port)).filter(({ name }) => name.startsWith('sealwright_'));
    expect(ours.length).toBeGreaterThan(100);
    const strange = ours.flatMap(({ name, labels }) =>
      Object.entries(labels)
        .filter(([label, value]) => !words.has(value) && !/^(le|status|version|node)$/.test(label))
        .map(([label, value]) => `${name} ${label}=${value}`),
    );
    expect([...new Set(strange)]).toEqual([]);
  });
});

describe('the port of the metrics', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/metrics/'],
    ['GET', '/v0/offers'],
    ['GET', '/readyz'],
    ['POST', '/metrics'],
    ['DELETE', '/metrics'],
  ])('serves nothing else: %s %s', async (method, path) => {
    expect((await send(`http://127.0.0.1:${port}${path}`, { method })).status).toBe(404);
  });

  it('is not the public one, which has no metrics', async () => {
    expect((await get(`${service.url}/metrics`)).status).toBe(404);
  });

  it('is closed unless metrics are enabled', async () => {
    const metricsPort = await freePort();
    const quiet = await startService({ SERVICE__METRICS__PORT: String(metricsPort) });
    await get(`${quiet.url}/v0/offers`);
    await expect(get(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
    expect(quiet.app.get(MetricsListener).port).toBeUndefined();
    await quiet.stop();
  });
});
