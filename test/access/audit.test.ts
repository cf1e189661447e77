import { type Scope, scopes } from '@app/http';
import { ApiKeys } from '@app/access';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { RefusedAccess } from '@app/access/src/audit/refused-access';
import { Metrics } from '@app/observability';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { steadyFor } from '../support/database/clock-watch';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { presentJwtVc } from '../support/presenters/credentials';
import { degree, type Holdings, receiveHoldings } from '../support/presenters/holdings';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { claims, quickStart } from '../support/portal/portal';
import { servedRoutes } from '../support/service/routes';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
let driver: SqlDriver;
let holdings: Holdings;
/** A wallet that waits for offers. */
const wallet = createServer((_request, response) => response.end());
beforeAll(async () => {
  await new Promise<void>((resolve) => wallet.listen(0, '127.0.0.1', resolve));
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: walletHost() });
  driver = service.app.get<SqlDriver>(SQL_DRIVER);
  holdings = await receiveHoldings(service.url, { given_name: 'Zwergspitzmaus', level: 3 });
});
afterAll(async () => {
  await service.stop();
  wallet.close();
});

function walletHost(): string {
  return `127.0.0.1:${(wallet.address() as AddressInfo).port}`;
}

/** A key of its own for each test, so that its rows are found. */
async function portal(...allowed: Scope[]) {
  const { id, text } = await service.app.get(ApiKeys).create({ name: 'portal', client: 'portal', scopes: allowed });
  const headers = { 'x-api-key': text };
  const { url } = service;
  return {
    principal: `key:${id}`,
    headers,
    get: (path: string) => get(url + path, headers),
    post: (path: string, body: unknown, more: Record<string, string> = {}) =>
      postJson(url + path, body, { ...headers, ...more }),
    send: (method: string, path: string, more: Record<string, string> = {}) =>
      send(url + path, { method, headers: { ...headers, ...more } }),
  };
}

/** Rows of the audit, the oldest first. */
async function rows(filters: Record<string, string>): Promise<Json[]> {
  const query = new URLSearchParams({ limit: '200', ...filters }).toString();
  const { items } = answered(200, await get(`${service.url}/v0/audit?${query}`));
  return (items as Json[]).reverse();
}

const recorded = async (principal: string): Promise<unknown[]> =>
  (await rows({ principal })).map(({ action, object, outcome }) => [action, object, outcome]);

describe('every operation that changes something', () => {
  it('leaves one row with a name of its own, also when it is rejected', async () => {
    const reader = await portal('audit:read');
    const changes = servedRoutes(service.app).filter(
      ({ method, path, decision }) => path.startsWith('/v0/') && method !== 'GET' && decision?.kind !== 'caller',
    );
    expect(changes.length).toBeGreaterThan(15);
    for (const { method, path } of changes) {
      expect((await reader.send(method, path.replace(/:\w+/g, 'thing'))).status).toBe(403);
    }
    const found = await rows({ principal: reader.principal });
    expect(found.map(({ outcome }) => outcome)).toEqual(changes.map(() => 'forbidden'));
    // An offer is sent at two addresses.
    expect(new Set(found.map(({ action }) => action)).size).toBe(changes.length - 1);
    expect(found).toContainEqual(expect.objectContaining({ action: 'offers.withdraw', object: 'thing', count: 1 }));
  });
});

describe('a change', () => {
  it('says who did what to what, by which request and when', async () => {
    const clerk = await portal(...scopes);
    const offerId = `offer-${randomUUID()}`;
    const before = new Date(Date.now() - 60_000).toISOString();
    answered(201, await clerk.post('/v0/offers', { offerId }));
    const body = { offerId, credentialConfigurationId: quickStart, credential: { credentialSubject: claims } };
    const { credentialId } = answered(201, await clerk.post('/v0/credentials', body));
    const withdrawn = await clerk.send('DELETE', `/v0/offers/${offerId}`, { 'x-request-id': 'withdrawal-1' });
    expect(withdrawn.status).toBe(204);
    expect(await recorded(clerk.principal)).toEqual([
      ['offers.open', offerId, 'ok'],
      ['credentials.prepare', credentialId, 'ok'],
      ['offers.withdraw', offerId, 'ok'],
    ]);
    const [row] = await rows({ object: offerId, action: 'offers.withdraw', client: 'portal', from: before });
    expect(row).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/) as string,
      principal: clerk.principal,
      client: 'portal',
      action: 'offers.withdraw',
      object: offerId,
      outcome: 'ok',
      requestId: 'withdrawal-1',
      count: 1,
    });
  });

  it('leaves no row when nothing changed, and one for each time an offer was sent', async () => {
    const clerk = await portal(...scopes);
    const offerId = randomUUID();
    answered(201, await clerk.post('/v0/offers', { offerId }));
    answered(200, await clerk.post('/v0/offers', { offerId }));
    answered(200, await clerk.get(`/v0/offers/${offerId}`));
    // The timeline of an offer keeps fewer of its sendings.
    const sendings = Array.from({ length: 22 }, () => ['offers.send', offerId, 'ok']);
    for (const index of sendings.keys()) {
      const targetUrl = `http://${walletHost()}/`;
      const asked =
        index % 2
          ? clerk.post(`/v0/offers/${offerId}/send`, { targetUrl })
          : clerk.post('/v0/offers/send', { offerId, targetUrl });
      answered(204, await asked);
    }
    expect(await recorded(clerk.principal)).toEqual([['offers.open', offerId, 'ok'], ...sendings]);
  });

  it('is recorded with the name of its refusal, once', async () => {
    const clerk = await portal(...scopes);
    const created = await clerk.post('/v0/templates', {
      title: 'Membership',
      format: 'dc+sd-jwt',
      vct: 'https://credentials.example/audited',
      schema: { type: 'object' },
    });
    const { templateId } = answered(201, created);
    const body = { templateId, credential: { credentialSubject: claims } };
    const refusals: [Promise<Reply>, number][] = [
      [clerk.send('DELETE', '/v0/offers/nowhere'), 404],
      [clerk.post('/v0/credentials', { ...body, offerId: 'none' }), 409],
      [clerk.send('POST', `/v0/templates/${String(templateId)}/publish`, { 'if-match': '"99"' }), 412],
      [clerk.get('/v0/templates/none'), 404],
      [clerk.get('/v0/nowhere'), 404],
      [clerk.post('/v0/offers', { unknown: 1 }), 400],
    ];
    for (const [refusal, status] of refusals) expect((await refusal).status).toBe(status);
    expect((await recorded(clerk.principal)).sort()).toEqual(
      [
        ['templates.create', templateId, 'ok'],
        ['offers.withdraw', 'nowhere', 'missing-credential-offer'],
        ['credentials.prepare', null, 'template-not-published'],
        ['templates.publish', templateId, 'version-conflict'],
        ['templates.get', 'none', 'template-not-found'],
        ['unmatched', null, 'not-found'],
        ['offers.open', null, 'validation-failed'],
      ].sort(),
    );
  });

  it('that repeats an earlier one with the same Idempotency-Key is marked as replayed', async () => {
    const clerk = await portal(...scopes);
    const offerId = randomUUID();
    const again = { 'idempotency-key': randomUUID() };
    answered(201, await clerk.post('/v0/offers', { offerId }, again));
    answered(201, await clerk.post('/v0/offers', { offerId }, again));
    expect(await recorded(clerk.principal)).toEqual([
      ['offers.open', offerId, 'ok'],
      ['offers.open', offerId, 'replayed'],
    ]);
  });

  it('of many resources at once leaves a row for each, also for those that were rejected', async () => {
    const clerk = await portal(...scopes);
    const offerId = randomUUID();
    const good = { offerId, credentialConfigurationId: quickStart, credential: { credentialSubject: claims } };
    const credentials = [good, { ...good, credentialId: 'refused-item', credential: { credentialSubject: 7 } }];
    const { items } = answered(200, await clerk.post('/v0/credentials/batch', { credentials }));
    const [first] = items as [{ credential: Json }];
    expect((await recorded(clerk.principal)).sort()).toEqual(
      [
        ['credentials.batch.prepare', first.credential['credentialId'], 'ok'],
        ['credentials.batch.prepare', 'refused-item', 'invalid-credential-payload'],
      ].sort(),
    );
  });

  it('names its author in the metadata of its events, also when that is a wallet or the service itself', async () => {
    const clerk = await portal(...scopes);
    const offerId = randomUUID();
    answered(201, await clerk.post('/v0/offers', { offerId }));
    const authors = await driver.query<{ by: string; streams: string }>({
      name: 'authors',
      text: `select metadata->>'by' as by, string_agg(distinct stream_id, ' ') as streams from events group by 1`,
      values: [],
    });
    const streamsOf = new Map(authors.map(({ by, streams }) => [by, streams]));
    expect(streamsOf.get(clerk.principal)).toBe(`offer-${offerId}`);
    expect(streamsOf.get('wallet')).toMatch(/credential-/);
    expect([...streamsOf.keys()].filter((by) => !/^(key:\w+|wallet|local|service)$/.test(by))).toEqual([]);
  });
});

describe('a read', () => {
  it('of claims is in the audit, without them; other reads are not', async () => {
    const clerk = await portal('credentials:read', 'offers:read', 'templates:read');
    const { items } = answered(200, await clerk.get('/v0/credentials?status=Issued'));
    const { credentialId } = (items as [Json])[0];
    for (const path of ['/v0/offers', '/v0/templates', '/v0/credentials?status=Issued']) {
      expect((await clerk.get(path)).status).toBe(200);
    }
    const read = await clerk.get(`/v0/credentials/${String(credentialId)}`);
    expect(read.text).toContain('Zwergspitzmaus');
    expect(await recorded(clerk.principal)).toEqual([['credentials.get', credentialId, 'ok']]);
  });

  it('of a result is in the audit once something was presented', async () => {
    const clerk = await portal('verification:read', 'verification:deliver');
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] } });
    const result = `/v0/authorization_requests/${asked.state}`;
    expect((await clerk.get(result)).json['status']).toBe('pending');
    const received = await receiveRequest(asked);
    const token = presentJwtVc([holdings.jwtVc], holdings.holder, received);
    answered(200, await respond(received, { tokens: { degree: token } }));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
    expect(await recorded(clerk.principal)).toEqual([]);
    expect((await clerk.get(result)).text).toContain('Zwergspitzmaus');
    expect((await clerk.get(`${result}/qr.svg`)).status).toBe(302);
    expect(await recorded(clerk.principal)).toEqual([['authorization_requests.get', asked.state, 'ok']]);
  });

  it('never shows a claim or an API key', async () => {
    const { text } = await get(`${service.url}/v0/audit?limit=200`);
    expect(text).not.toMatch(/Zwergspitzmaus|Mustermann|swk_/);
  });
});

describe('callers without a key', () => {
  it('leave one row per minute', async () => {
    const counted = service.app.get(RefusedAccess);
    await counted.flush();
    const before = (await rows({ principal: 'unknown' })).length;
    for (let attempt = 0; attempt < 25; attempt++) {
      expect((await get(`${service.url}/v0/offers`, { 'x-api-key': 'wrong' })).status).toBe(401);
    }
    await counted.flush();
    const after = await rows({ principal: 'unknown' });
    expect(after).toHaveLength(before + 1);
    expect(after.at(-1)).toMatchObject({ action: 'access', object: null, outcome: 'unauthorized', count: 25 });
  });
});

describe('the list', () => {
  it('goes through everything page by page, the newest first', async () => {
    const clerk = await portal(...scopes);
    for (const offerId of ['page-1', 'page-2', 'page-3']) answered(201, await clerk.post('/v0/offers', { offerId }));
    const seen: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ limit: '2', principal: clerk.principal, outcome: 'ok' });
      if (cursor !== '') query.set('cursor', cursor);
      const page: Json = answered(200, await clerk.get(`/v0/audit?${query.toString()}`));
      const { items, nextCursor } = page;
      seen.push(...(items as Json[]).map(({ object }) => object));
      cursor = nextCursor as string | null;
    }
    expect(seen).toEqual(['page-3', 'page-2', 'page-1']);
  });

  it.each([
    'from=yesterday',
    'from=0000-01-01T00:00:00Z',
    'to=2027-02-30T00:00:00Z',
    'cursor=x',
    'object=a&object=b',
    'object=%00',
    'who=me',
  ])('refuses %s by name', async (query) => {
    const reply = await get(`${service.url}/v0/audit?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ violations: [{ pointer: `/${/^\w+/.exec(query)?.[0] ?? ''}` }] });
  });

  it.each(['0001-01-01T00:00:00Z', '2001-01-01T00:00:00%2B23:59', '2001-01-01t00:00:00.123456789z'])(
    'begins and ends at any moment a date-time can name: %s',
    async (moment) => {
      const { items } = answered(200, await get(`${service.url}/v0/audit?limit=1&from=${moment}`));
      expect(items).toHaveLength(1);
      expect(answered(200, await get(`${service.url}/v0/audit?to=${moment}`))['items']).toEqual([]);
    },
  );

  it('is empty when no row matches, whatever the filter', async () => {
    for (const filter of ['to=2001-01-01T00:00:00Z', 'client=nobody', 'outcome=%F0%9F%98%80']) {
      expect((await get(`${service.url}/v0/audit?${filter}`)).json).toEqual({ items: [], nextCursor: null });
    }
  });

  it('rejects keys without its scope', async () => {
    const clerk = await portal('offers:read');
    expect((await clerk.get('/v0/audit')).status).toBe(403);
  });
});

describe('rows that are old enough', () => {
  it('are removed, but never those of the last thirty days', async () => {
    const store = service.app.get(EventStore);
    await driver.query({
      name: 'old-rows',
      text: `insert into audit (id, recorded_at, principal, action, outcome)
        select gen_random_uuid(), now() - make_interval(days => age), 'old', 'offers.open', 'ok'
        from unnest($1::int[]) as age`,
      values: [[29, 31, 364, 366]],
    });
    // Nothing is known of the clock yet.
    expect(await store.removeOldAudit(365)).toBe(0);
    await store.lookAtClock();
    expect(await store.removeOldAudit(365)).toBe(0);
    await steadyFor(driver, 7);
    expect(await store.removeOldAudit(365)).toBe(1);
    expect(await rows({ principal: 'old' })).toHaveLength(3);
    expect(await store.removeOldAudit(1)).toBe(2);
    expect(await rows({ principal: 'old' })).toHaveLength(1);
  });
});

describe('an audit that cannot be written', () => {
  beforeAll(() => driver.transaction((tx) => tx.script('alter table audit rename to audit_gone')));
  afterAll(() => driver.transaction((tx) => tx.script('alter table audit_gone rename to audit')));

  it('fails every request that it would have to record, and nothing else', async () => {
    const failed = jest.spyOn(service.app.get(Metrics), 'auditFailed');
    const offerId = randomUUID();
    const { items } = answered(200, await get(`${service.url}/v0/credentials?status=Issued`));
    const { credentialId } = (items as [Json])[0];
    const refused = [
      await postJson(`${service.url}/v0/offers`, { offerId }),
      await get(`${service.url}/v0/credentials/${String(credentialId)}`),
      await send(`${service.url}/v0/offers/nowhere`, { method: 'DELETE' }),
    ];
    for (const { status, text, json } of refused) {
      expect({ status, type: json['type'] }).toEqual({ status: 503, type: `${service.url}/problems/unavailable` });
      expect(text).not.toContain('Zwergspitzmaus');
    }
    expect(failed).toHaveBeenCalledTimes(3);
    const kept = await driver.query({
      name: 'kept',
      text: 'select 1 from streams where stream_id = $1',
      values: [`offer-${offerId}`],
    });
    expect(kept).toEqual([]);
    expect((await get(`${service.url}/jwks.json`)).status).toBe(200);
    // A wallet's request leaves no row.
    expect((await postJson(`${service.url}/openid4vci/nonce`, '')).status).toBe(200);
  });
});
