import { randomUUID } from 'node:crypto';
import { EventStore, OutcomeUnknownError, SQL_DRIVER, type SqlDriver, StoreUnavailableError } from '@app/event-store';
import { CommandBus, type ICommand } from '@nestjs/cqrs';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json, postJson, type Reply } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { type RunningService, startService } from '../support/service/service';
import { asOwner, asServiceRole } from '../support/database/service-role';

/** Two replicas on one database. */
const server = sharedPostgres();
let owner: string;
let first: RunningService;
let second: RunningService;
beforeAll(async () => {
  owner = await server.createDatabase();
  const database = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(owner),
  };
  first = await startService(database);
  second = await startService(database);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
});

const post = (path: string, body: unknown, key: string, headers: Record<string, string> = {}, at = first) =>
  postJson(at.url + path, body, { 'idempotency-key': key, ...headers });

const prepared = (changes: Json = {}): Json => ({
  offerId: randomUUID(),
  credentialConfigurationId: 'w3c_vc_credential',
  credential: { credentialSubject: { given_name: 'Erika' } },
  ...changes,
});

const membership = (): Json => ({ title: 'Membership', format: 'dc+sd-jwt', schema: { type: 'object' } });

const creations: [string, () => unknown][] = [
  ['/v0/offers', () => ({ offerId: randomUUID(), txCode: true })],
  ['/v0/credentials', prepared],
  ['/v0/templates', membership],
  ['/v0/authorization_requests', () => ({})],
];

async function count(path: string): Promise<number> {
  return (answered(200, await get(`${first.url}${path}?limit=200`))['items'] as unknown[]).length;
}

/** Everything by which a client could tell two answers apart; the trace belongs to the request. */
function seen({ status, headers, text }: Reply): unknown {
  return { status, text, location: headers.get('location'), type: headers.get('content-type') };
}

describe.each(creations)('POST %s with an Idempotency-Key', (path, body) => {
  it('repeats the first answer, on another replica too, and creates once', async () => {
    const [key, sent] = [randomUUID(), body()];
    const before = await count(path);
    const reply = await post(path, sent, key);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toMatch(/^\/v0\//);
    for (const replica of [first, second]) {
      const repeated = await post(path, sent, key, {}, replica);
      expect(seen(repeated)).toEqual(seen(reply));
      expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await count(path)).toBe(before + 1);
  });

  it('rejects the key with another body', async () => {
    const key = randomUUID();
    answered(201, await post(path, body(), key));
    expectProblem(await post(path, { ...(body() as Json), extra: 1 }, key), 422, 'idempotency-key-reused');
  });

  it('creates once when many requests come at the same moment', async () => {
    const [key, sent] = [randomUUID(), body()];
    const before = await count(path);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => post(path, sent, key, {}, index % 2 ? first : second)),
    );
    const texts = new Set(replies.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(texts.size).toBe(1);
    for (const reply of replies) if (reply.status !== 201) expectProblem(reply, 409, 'conflict');
    expect(await count(path)).toBe(before + 1);
    expect([...texts]).toEqual([(await post(path, sent, key)).text]);
  });

  it('leaves the key free after a refusal', async () => {
    const key = randomUUID();
    expectProblem(await post(path, { unknown: 1 }, key), 400, 'validation-failed');
    answered(201, await post(path, body(), key));
  });
});

describe('POST /v0/credentials/batch with an Idempotency-Key', () => {
  const batch = (...credentials: Json[]): Json => ({ credentials });
  const results = (reply: Reply): Json[] => answered(200, reply)['items'] as Json[];

  it('prepares each credential once and completes what failed', async () => {
    const key = randomUUID();
    const { templateId } = answered(201, await postJson(`${first.url}/v0/templates`, membership()));
    const sent = batch(prepared(), prepared({ credentialConfigurationId: undefined, templateId }), prepared());
    const before = await count('/v0/credentials');
    const once = results(await post('/v0/credentials/batch', sent, key));
    expect(once.map(({ status }) => status)).toEqual([201, 409, 201]);
    const again = results(await post('/v0/credentials/batch', sent, key, {}, second));
    expect(again).toMatchObject([once[0], { status: 409 }, once[2]]);
    expect(await count('/v0/credentials')).toBe(before + 2);
    answered(200, await postJson(`${first.url}/v0/templates/${String(templateId)}/publish`, ''));
    const completed = results(await post('/v0/credentials/batch', sent, key));
    expect(completed).toMatchObject([once[0], { status: 201 }, once[2]]);
    expect(await count('/v0/credentials')).toBe(before + 3);
  });

  it('prepares each credential once when many requests come at the same moment', async () => {
    const [key, sent] = [randomUUID(), batch(...Array.from({ length: 20 }, () => prepared()))];
    const before = await count('/v0/credentials');
    const replies = await Promise.all(
      [first, second, first, second].map((replica) => post('/v0/credentials/batch', sent, key, {}, replica)),
    );
    const texts = new Set(replies.filter(({ status }) => status === 200).map(({ text }) => text));
    expect(texts.size).toBe(1);
    for (const reply of replies) if (reply.status !== 200) expectProblem(reply, 409, 'conflict');
    expect(await count('/v0/credentials')).toBe(before + 20);
  });

  it('rejects the key with another body', async () => {
    const key = randomUUID();
    answered(200, await post('/v0/credentials/batch', batch(prepared(), prepared()), key));
    expectProblem(await post('/v0/credentials/batch', batch(prepared()), key), 422, 'idempotency-key-reused');
    expectProblem(await post('/v0/credentials/batch', batch(prepared()), 'a b'), 400, 'validation-failed');
  });
});

describe('an Idempotency-Key', () => {
  it('does not hide that an outcome is unknown when the store cannot look it up either', async () => {
    const store = first.app.get(EventStore);
    const lookUp = store.noteOf.bind(store);
    const noteOf = jest
      .spyOn(store, 'noteOf')
      .mockImplementationOnce(lookUp)
      .mockRejectedValueOnce(new StoreUnavailableError('The database is silent.', false));
    const transact = jest
      .spyOn(store, 'transact')
      .mockImplementationOnce(() => Promise.reject(new OutcomeUnknownError()));
    const reply = await post('/v0/offers', { offerId: randomUUID() }, randomUUID());
    expect(noteOf).toHaveBeenCalledTimes(2);
    for (const spy of [noteOf, transact]) spy.mockRestore();
    expectProblem(reply, 503, 'outcome-unknown');
  });

  it('keeps answers in every representation', async () => {
    for (const accept of ['text/plain', 'image/svg+xml', 'image/png']) {
      const key = randomUUID();
      const reply = await post('/v0/offers', { offerId: key }, key, { accept });
      expect(reply.headers.get('content-type')).toContain(accept);
      expect(seen(await post('/v0/offers', { offerId: key }, key, { accept }))).toEqual(seen(reply));
    }
  });

  it('repeats an answer only for requests that accept its media type', async () => {
    const [json, picture, body] = [randomUUID(), randomUUID(), { state: randomUUID() }];
    const path = '/v0/authorization_requests';
    const first = await post(path, body, json, { accept: 'application/json' });
    expect(first.status).toBe(201);
    for (const accept of ['', '*/*', 'application/json;q=0.9, image/png;q=0.1']) {
      expect(seen(await post(path, body, json, { accept }))).toEqual(seen(first));
    }
    expectProblem(await post(path, body, json, { accept: 'image/png' }), 422, 'idempotency-key-reused');
    const offer = { offerId: randomUUID() };
    expect((await post('/v0/offers', offer, picture, { accept: 'image/png' })).status).toBe(201);
    const other = await post('/v0/offers', offer, picture);
    expectProblem(other, 422, 'idempotency-key-reused');
    expect(other.json['detail']).toContain('Accept');
    // What is always answered as JSON does not depend on it.
    const [template, key] = [membership(), randomUUID()];
    const created = await post('/v0/templates', template, key, { accept: 'image/png' });
    expect(seen(await post('/v0/templates', template, key))).toEqual(seen(created));
  });

  it('is rejected while its first request is being handled, and repeats the answer afterwards', async () => {
    const bus = first.app.get(CommandBus);
    const execute = bus.execute.bind(bus);
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const arrived = new Promise<void>((resolve) => {
      jest.spyOn(bus, 'execute').mockImplementationOnce(async (command: ICommand) => {
        resolve();
        await gate;
        return execute(command);
      });
    });
    const [key, body] = [randomUUID(), { offerId: randomUUID() }];
    const slow = post('/v0/offers', body, key);
    await arrived;
    const meanwhile = await post('/v0/offers', body, key);
    expectProblem(meanwhile, 409, 'conflict');
    expect(meanwhile.headers.get('retry-after')).toBe('1');
    letGo();
    const answer = seen(await slow);
    expect(seen(await post('/v0/offers', body, key))).toEqual(answer);
  });

  it('belongs to one route', async () => {
    const key = randomUUID();
    answered(201, await post('/v0/offers', { offerId: key }, key));
    expectProblem(await post('/v0/authorization_requests', { offerId: key }, key), 422, 'idempotency-key-reused');
  });

  it.each(['', 'a b', 'x'.repeat(256), 'schlüssel'])('is rejected as %p', async (key) => {
    const reply = await post('/v0/offers', { offerId: randomUUID() }, key);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer: '/Idempotency-Key' }]);
  });

  it('may have 255 characters', async () => {
    const key = `${randomUUID()}${'!~'.repeat(120)}`.slice(0, 255);
    answered(201, await post('/v0/offers', { offerId: randomUUID() }, key));
  });

  it('is stored nowhere in the clear, nor is the transaction code', async () => {
    const key = `key-${randomUUID()}`;
    const { txCode } = answered(
      201,
      await post('/v0/offers', { txCode: { length: 16, inputMode: 'text' }, offerId: key.slice(4) }, key),
    );
    const driver = first.app.get<SqlDriver>(SQL_DRIVER);
    const [row] = await driver.query<{ all: string }>({
      name: 'everything',
      text: `select concat((select string_agg(c::text, ' ') from consumed c), (select string_agg(e::text, ' ') from events e),
        (select string_agg(s::text, ' ') from streams s)) as all`,
      values: [],
    });
    expect(row?.all).toContain(key.slice(4));
    expect(row?.all).not.toContain(key);
    expect(row?.all).not.toContain(txCode);
  });

  it('expires after a day, and stays used until its row is removed', async () => {
    const [key, offerId] = [randomUUID(), randomUUID()];
    answered(201, await post('/v0/offers', { offerId }, key));
    const age = (hours: number) =>
      asOwner(
        owner,
        `update consumed set expires_at = expires_at - interval '${hours} hours' where kind = 'idempotency-key'`,
      );
    await age(23);
    expect((await post('/v0/offers', { offerId }, key)).headers.get('idempotent-replayed')).toBe('true');
    await age(2);
    expectProblem(await post('/v0/offers', { offerId }, key), 422, 'idempotency-key-reused');
    await age(2);
    await first.app.get(EventStore).removeExpired();
    expect((await post('/v0/offers', { offerId }, key)).status).toBe(200);
  });
});
