import { ApiKeys } from '@app/access';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { Metrics } from '@app/observability';
import { scopes } from '@app/http';
import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, postJson, type Reply, send, sendBytes } from '../support/http/requests';
import { servedRoutes } from '../support/service/routes';
import { type RunningService, startService } from '../support/service/service';

const settingsKey = 'of-the-settings-0f3c91b7';

/** Everything the service logs while a test runs. */
function loggedFacts(): unknown[] {
  const facts: unknown[] = [];
  for (const level of ['log', 'warn', 'error', 'debug', 'verbose'] as const) {
    jest.spyOn(Logger.prototype, level).mockImplementation((...given: unknown[]) => void facts.push(given[0]));
  }
  return facts;
}

describe('a call of the management API', () => {
  let service: RunningService;
  let keys: ApiKeys;
  let facts: unknown[];
  beforeAll(async () => {
    service = await startService({ SERVICE__MANAGEMENT__API_KEYS: `another-key-of-settings,${settingsKey}` });
    keys = service.app.get(ApiKeys);
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    facts = loggedFacts();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const templates = (headers: Record<string, string> = {}) => get(`${service.url}/v0/templates`, headers);

  function expectRefused(reply: Reply, challenge: string): void {
    expect(reply.status).toBe(401);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(reply.headers.get('www-authenticate')).toBe(challenge);
    expect(reply.json).toMatchObject({ type: `${service.url}/problems/unauthorized`, title: 'Unauthorized' });
  }
  const missing = 'Bearer realm="management API"';
  const invalid = 'Bearer realm="management API", error="invalid_token"';

  it('without a key is rejected with how to get one', async () => {
    const reply = await templates();
    expectRefused(reply, missing);
    expect(reply.json['detail']).toBe(
      'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>". `sealwright api-keys create` makes one.',
    );
    expect(facts).toEqual([
      { event: 'access.refused', reason: 'no-credential', requestId: reply.headers.get('x-request-id') },
    ]);
  });

  it('without a key is rejected at every route, and only there', async () => {
    const routes = servedRoutes(service.app);
    for (const { name, method, path, decision } of routes) {
      const { json } = await send(`${service.url}${path.replace(/:\w+/g, 'x')}`, { method });
      const isRefused = json['type'] === `${service.url}/problems/unauthorized`;
      expect([name, isRefused]).toEqual([name, decision?.kind !== 'public']);
    }
    expect(routes.filter(({ decision }) => decision?.kind === 'scope').length).toBeGreaterThan(30);
  });

  it.each(['/v0', '/v0/', '/v0/nowhere', '/V0/templates', '/v0/templates/', '/v0/templates?limit=x'])(
    'without a key learns nothing at %s',
    async (path) => {
      const received = await sendBytes(
        service.url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(received).toMatch(/^HTTP\/1.1 401 /);
    },
  );

  it.each([
    '//v0/templates',
    '/%760/templates',
    '/v0%2ftemplates',
    '/./v0/templates',
    '/x/../v0/templates',
    '/v0\\templates#x',
  ])('is none at %s', async (path) => {
    const received = await sendBytes(
      service.url,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1.1 404 /);
  });

  it('with a key of the settings may do everything', async () => {
    for (const headers of [{ authorization: `Bearer ${settingsKey}` }, { 'x-api-key': settingsKey }]) {
      expect((await templates(headers)).status).toBe(200);
    }
    expect((await get(`${service.url}/v0/configuration`, { 'x-api-key': settingsKey })).status).toBe(200);
    const authorizationRequest = {
      dcql_query: { credentials: [{ id: 'a', format: 'jwt_vc_json', meta: { type_values: [['A']] } }] },
    };
    const asked = await postJson(`${service.url}/v0/authorization_requests`, authorizationRequest, {
      'x-api-key': settingsKey,
    });
    expect(asked.status).toBe(201);
  });

  it('with a key of the database may do what its scopes say', async () => {
    const { id, text } = await keys.create({ name: 'reader', scopes: ['templates:read'] });
    expect((await templates({ authorization: `Bearer ${text}` })).status).toBe(200);
    const reply = await postJson(`${service.url}/v0/templates/none/publish`, '', { 'x-api-key': text });
    expect(reply.status).toBe(403);
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer realm="management API", error="insufficient_scope", scope="templates:write"',
    );
    expect(reply.json).toMatchObject({
      type: `${service.url}/problems/forbidden`,
      detail: 'Your key or token lacks the scope templates:write.',
    });
    const requestId = reply.headers.get('x-request-id');
    const refused = { event: 'access.refused', reason: 'scope-missing', scope: 'templates:write' };
    expect(facts).toEqual([{ ...refused, principal: `key:${id}`, client: 'reader', requestId }]);
  });

  it.each(scopes)('needs the scope %s and no other', async (scope) => {
    const { text } = await keys.create({ name: 'one scope', scopes: [scope] });
    const routes = servedRoutes(service.app).filter(({ decision }) => decision?.kind === 'scope');
    for (const { name, method, path, decision } of routes) {
      if (method === 'POST' && /(offers|authorization_requests|credentials)$/.test(path)) continue;
      const { status } = await send(`${service.url}${path.replace(/:\w+/g, 'x')}`, {
        method,
        headers: { 'x-api-key': text },
      });
      const isAllowed = decision?.kind === 'scope' && decision.scope === scope;
      expect([name, status !== 403]).toEqual([name, isAllowed]);
    }
  });

  it('with a key that is wrong, expired or revoked gets the same answer; the log names the fault', async () => {
    const live = await keys.create({ name: 'live', scopes: ['templates:read'] });
    const unknown = await keys.create({ name: 'unknown', scopes: ['templates:read'] });
    const revoked = await keys.create({ name: 'revoked', scopes: ['templates:read'] });
    const expired = await keys.create({
      name: 'expired',
      scopes: ['templates:read'],
      expiresAt: new Date(Date.now() + 50),
    });
    await service.app.get<SqlDriver>(SQL_DRIVER).query({
      name: 'test-forget-key',
      text: 'delete from api_keys where id = $1',
      values: [unknown.id],
    });
    await keys.revoke(revoked.id);
    await delay(100);
    const counted = jest.spyOn(service.app.get(Metrics), 'accessRefused');
    const replies = [
      await templates({ 'x-api-key': 'nothing-like-a-key' }),
      await templates({ 'x-api-key': live.text.slice(0, -1) }),
      await templates({ 'x-api-key': unknown.text }),
      await templates({ 'x-api-key': revoked.text }),
      await templates({ 'x-api-key': expired.text }),
    ];
    for (const reply of replies) expectRefused(reply, invalid);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const noKeys: [Reply, string][] = [
      [await templates({ authorization: 'Bearer' }), 'is malformed'],
      [await templates({ authorization: `Bearer ${live.text}`, 'x-api-key': settingsKey }), 'Several keys or tokens'],
    ];
    for (const [reply, words] of noKeys) {
      expectRefused(reply, invalid);
      expect(reply.json['detail']).toContain(words);
    }
    const token = await templates({ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' });
    expect(token.json['detail']).toContain('SERVICE__MANAGEMENT__JWKS_URL is not set');
    expectRefused(token, `${invalid}, error_description="${String(token.json['detail'])}"`);
    expect(counted.mock.calls.flat()).toEqual(facts.map((fact) => (fact as { reason: string }).reason));
    expect(facts).toEqual(
      [
        { reason: 'key-malformed' },
        { reason: 'key-malformed' },
        { reason: 'key-unknown', keyId: unknown.id },
        { reason: 'key-revoked', keyId: revoked.id },
        { reason: 'key-expired', keyId: expired.id },
        { reason: 'malformed' },
        { reason: 'several-credentials' },
        { reason: 'token-not-taken' },
      ].map((fact, index) => ({
        event: 'access.refused',
        ...fact,
        requestId: [...replies, ...noKeys.map(([reply]) => reply), token][index]?.headers.get('x-request-id'),
      })),
    );
  });

  it('with another scheme counts as one without a key', async () => {
    expectRefused(await templates({ authorization: 'Basic dXNlcjpwYXNzd29yZA==' }), missing);
    expect((await templates({ authorization: 'Basic dXNlcjpwYXNz', 'x-api-key': settingsKey })).status).toBe(200);
  });

  it('with two Authorization headers is rejected, whichever of them is right', async () => {
    for (const [first, second] of [
      [settingsKey, 'wrong'],
      ['wrong', settingsKey],
    ]) {
      const received = await sendBytes(
        service.url,
        'GET /v0/templates HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n',
        `Authorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\n\r\n`,
      );
      expect(received).toMatch(/^HTTP\/1.1 400 /);
      expect(received).toContain('The header Authorization must be sent once.');
    }
  });

  it('is rejected before its body is read', async () => {
    const head = 'POST /v0/credentials/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    for (const size of ['Content-Length: 8000000', 'Transfer-Encoding: chunked']) {
      // The body never comes.
      const received = await sendBytes(service.url, `${head}${size}\r\n\r\n5\r\n`);
      expect(received).toMatch(/^HTTP\/1\.1 401 /);
      expect(received).toMatch(/^connection: close\r$/im);
    }
    const headers = { 'content-type': 'application/json' };
    const small = await fetch(`${service.url}/v0/templates`, { method: 'POST', headers, body: '{}' });
    expect([small.status, small.headers.get('connection')]).toEqual([401, 'keep-alive']);
  });

  it('leaves no key in the log and none in the database', async () => {
    const { id, text } = await keys.create({ name: 'canary', scopes: ['templates:read'] });
    const tried = [text, `${text.slice(0, -1)}!`, settingsKey, `${settingsKey}x`];
    for (const key of tried) {
      await templates({ 'x-api-key': key });
      await templates({ authorization: `Bearer ${key}` });
      await postJson(`${service.url}/v0/templates`, {}, { 'x-api-key': key });
    }
    const driver = service.app.get<SqlDriver>(SQL_DRIVER);
    const dump = await driver.query<{ content: string }>({
      name: 'test-dump',
      text: `select query_to_xml(format('select * from %I', tablename), true, false, '')::text as content
             from pg_tables where schemaname = 'public'`,
      values: [],
    });
    const kept = `${JSON.stringify(facts)} ${dump.map(({ content }) => content).join(' ')}`;
    expect(kept).toContain(id);
    expect(kept).toContain('canary');
    for (const secret of [text.split('_')[2] ?? '', settingsKey, 'another-key-of-settings']) {
      for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64url')]) {
        expect(kept).not.toContain(form);
      }
    }
  });
});

describe('an Idempotency-Key', () => {
  let service: RunningService;
  let keyOf: (client: string) => Promise<string>;
  beforeAll(async () => {
    service = await startService({ SERVICE__MANAGEMENT__API_KEYS: 'key-of-spring-0f3c91b7,key-of-autumn-0f3c91b7' });
    const keys = service.app.get(ApiKeys);
    keyOf = async (client) => (await keys.create({ name: `a key of ${client}`, client, scopes })).text;
  });
  afterAll(() => service.stop());

  const create = (apiKey: string, title = 'T') =>
    postJson(
      `${service.url}/v0/templates`,
      { title, format: 'jwt_vc_json', schema: { type: 'object', properties: {} } },
      { 'idempotency-key': 'one', 'x-api-key': apiKey },
    );
  const sendBatch = async (apiKey: string) => {
    const item = { credentialConfigurationId: 'w3c_vc_credential', offerId: 'one', expiresAt: 'never' };
    const credentialSubject = { first_name: 'A', last_name: 'B', dob: '1990-01-01' };
    const batch = { credentials: [{ ...item, credential: { credentialSubject } }] };
    const headers = { 'idempotency-key': 'batch', 'x-api-key': apiKey };
    const { items } = answered(200, await postJson(`${service.url}/v0/credentials/batch`, batch, headers));
    return (items as { status: number; credential?: { credentialId: string } }[])[0];
  };

  it('belongs to the client that sent it', async () => {
    const [spring, other] = [await keyOf('town-hall'), await keyOf('library')];
    const first = answered(201, await create(spring));
    const second = await create(other, 'Another');
    expect(answered(201, second)['templateId']).not.toBe(first['templateId']);
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    const again = await create(spring);
    expect(answered(201, again)['templateId']).toBe(first['templateId']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('has one effect before and after a change of the API key', async () => {
    for (const [spring, autumn] of [
      [await keyOf('bakery'), await keyOf('bakery')],
      ['key-of-spring-0f3c91b7', 'key-of-autumn-0f3c91b7'],
    ] as const) {
      const before = answered(201, await create(spring));
      const after = await create(autumn);
      expect(answered(201, after)['templateId']).toBe(before['templateId']);
      expect(after.headers.get('idempotent-replayed')).toBe('true');
    }
  });

  it('of a batch belongs to the client that sent it, whichever of its API keys it uses', async () => {
    const [spring, autumn] = [await keyOf('school'), await keyOf('school')];
    const first = await sendBatch(spring);
    expect(first?.status).toBe(201);
    // Not the answer of the first portal, but what comes of doing the work: the offer holds the credential already.
    expect(await sendBatch(await keyOf('theatre'))).toMatchObject({ status: 409 });
    expect(await sendBatch(autumn)).toEqual(first);
  });
});
