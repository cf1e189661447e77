import { ApiKeys } from '@app/access';
import { Listeners } from '@app/http';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { request, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { EventSource } from 'undici';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { untilReadable } from '../support/database/readable-events';
import { type EventConnection, listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { claims, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { openSession, receive } from '../support/wallets/wallet';

/** Two replicas: one takes the requests, the other streams. */
let writer: RunningService;
let replica: RunningService;
let database: string;

beforeAll(async () => {
  database = await sharedPostgres().createDatabase();
  const settings = { SERVICE__EVENT_STORE__TYPE: 'postgres', SERVICE__EVENT_STORE__CONNECTION_STRING: database };
  writer = await startService(settings);
  replica = await startService({ ...settings, SERVICE__EVENTS__HEARTBEAT_SECONDS: '1' });
});
afterAll(async () => {
  open.forEach((connection) => {
    connection.cut();
  });
  await Promise.all([writer.stop(), replica.stop()]);
  await dropDatabase(database);
});

const open = new Set<EventConnection>();
/** From the events on that are not stored yet, unless it is told otherwise. */
async function connect(query = '', headers: Record<string, string> = {}): Promise<EventConnection> {
  await untilReadable(writer.app.get<SqlDriver>(SQL_DRIVER));
  const connection = await listen(`${replica.url}/v0/events${query}`, headers);
  open.add(connection);
  return connection;
}

/** Archives and publishes it again, so many times: an event each. */
async function toggle(templateId: string, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    answered(200, await postJson(`${writer.url}/v0/templates/${templateId}/${turn % 2 ? 'publish' : 'archive'}`, ''));
  }
}

const connectionsOf = ({ app }: RunningService): Promise<number> =>
  new Promise((resolve, reject) => {
    (app.getHttpServer() as Server).getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });

const typesOf = (events: readonly Json[]): unknown[] => events.map(({ type }) => type);

describe('a stream of events', () => {
  it('tells a portal at another replica what wallets do with its offers, without personal data', async () => {
    const stream = await connect();
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(stream.headers['cache-control']).toBe('no-store');
    await stream.next();
    const templateId = await publishedTemplate(writer.url);
    const { offerId, link, credentialIds } = await prepareOffer(writer.url, [templateId]);
    await receive(link);
    const events = await stream.take(4);
    expect(typesOf(events)).toEqual(['template.published', 'offer.fetched', 'offer.redeemed', 'credential.issued']);
    expect(events[2]).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[1-9]\d*$/),
      source: replica.url,
      type: 'offer.redeemed',
      subject: `offers/${offerId}`,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      datacontenttype: 'application/json',
      dataschema: 'urn:sealwright:event:offer.redeemed:1',
      data: { offerId, state: 'Redeemed', credentialConfigurationIds: [templateId] },
    });
    const [credentialId] = credentialIds;
    expect(events[3]?.['data']).toEqual({
      credentialId,
      offerId,
      templateId,
      credentialConfigurationId: templateId,
      status: 'Issued',
      copies: 1,
    });
    const code = new URL(link).searchParams.get('credential_offer_uri')?.split('/').at(-1) ?? '';
    for (const secret of [claims.given_name, claims.family_name, code]) {
      expect(JSON.stringify(events)).not.toContain(secret);
    }
    stream.cut();
  });

  it('that is cut a hundred times shows every event once, each subject in its order', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => publishedTemplate(writer.url)));
    const from = await connect();
    await from.next();
    let id = from.lastEventId() ?? '';
    from.cut();
    const perTemplate = 110;
    const work = Promise.all([one, two, three].map((template) => toggle(template ?? '', perTemplate)));
    const seen: Json[] = [];
    for (let cuts = 0; cuts < 100; cuts++) {
      const stream = await connect('', { 'last-event-id': id });
      expect(stream.status).toBe(200);
      seen.push(...(await stream.take(1 + (cuts % 5))));
      id = stream.lastEventId() ?? '';
      stream.cut();
    }
    const last = await connect('', { 'last-event-id': id });
    seen.push(...(await last.take(3 * perTemplate - seen.length)));
    last.cut();
    await work;
    expect(new Set(seen.map((event) => event['id'])).size).toBe(3 * perTemplate);
    for (const template of [one, two, three]) {
      const states = seen.filter(({ subject }) => subject === `templates/${template}`).map(({ type }) => type);
      expect(states).toHaveLength(perTemplate);
      expect(states.every((type, turn) => type === (turn % 2 ? 'template.published' : 'template.archived'))).toBe(true);
    }
  });

  it('is filtered by types and by subject, and advances past what does not match', async () => {
    const templateId = await publishedTemplate(writer.url);
    const subject = `templates/${templateId}`;
    const [byType, bySubject, byNothing] = await Promise.all([
      connect('?types=offer.redeemed,offer.locked'),
      connect(`?after=0&subject=${subject}`),
      connect('?types=presentation.verified'),
    ]);
    await byNothing.next();
    const before = Number(byNothing.lastEventId());
    const { link, offerId } = await prepareOffer(writer.url);
    await openSession(link);
    expect(await byType.take(1)).toMatchObject([{ type: 'offer.redeemed', subject: `offers/${offerId}` }]);
    await toggle(templateId, 2);
    const ofTemplate = await bySubject.take(3);
    expect(typesOf(ofTemplate)).toEqual(['template.published', 'template.archived', 'template.published']);
    const latest = Number(ofTemplate[2]?.['id']);
    for (let reached = before; reached < latest;) {
      const heartbeat = await byNothing.next();
      expect(heartbeat).toMatchObject({ name: 'heartbeat', data: '' });
      reached = Number(heartbeat?.id);
    }
    [byType, bySubject, byNothing].forEach((stream) => {
      stream.cut();
    });
  });

  it('skips nothing that commits late, and keeps back what was stored after it', async () => {
    const templateId = await publishedTemplate(writer.url);
    const stream = await connect();
    await stream.next();
    const late = new Client({ connectionString: database });
    await late.connect();
    try {
      await late.query('begin');
      await late.query(`insert into events (stream_id, version, type, data, metadata)
        values ('template-late', 1, 'TemplateArchived', '{}', '{"unit":"late"}')`);
      await toggle(templateId, 1);
      expect(await stream.next()).toMatchObject({ name: 'heartbeat' });
      await late.query('commit');
    } finally {
      await late.end();
    }
    const events = await stream.take(2);
    expect(events.map(({ subject }) => subject)).toEqual(['templates/late', `templates/${templateId}`]);
    stream.cut();
  });

  it('is not held up by a listener that does not read, which misses nothing either', async () => {
    const templateId = await publishedTemplate(writer.url);
    const [slow, quick] = await Promise.all([connect(), connect()]);
    slow.pause();
    await toggle(templateId, 40);
    expect(await quick.take(40)).toHaveLength(40);
    slow.resume();
    expect(typesOf(await slow.take(40)).filter((type) => type === 'template.archived')).toHaveLength(20);
    slow.cut();
    quick.cut();
  });

  it('is resumed by an EventSource that knows nothing of this service', async () => {
    const templateId = await publishedTemplate(writer.url);
    const own = await startService({
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: database,
      SERVICE__EVENTS__HEARTBEAT_SECONDS: '1',
    });
    const source = new EventSource(`${own.url}/v0/events?types=template.archived&subject=templates/${templateId}`);
    const heartbeats: string[] = [];
    const messages: unknown[] = [];
    source.addEventListener('heartbeat', (event) =>
      heartbeats.push((event as unknown as { lastEventId: string }).lastEventId),
    );
    source.addEventListener('message', (event) =>
      messages.push(JSON.parse(String((event as unknown as { data: unknown }).data))),
    );
    while (heartbeats.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await toggle(templateId, 1);
    while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(messages).toMatchObject([{ type: 'template.archived', subject: `templates/${templateId}` }]);
    source.close();
    await own.stop();
  });

  it('ends when its API key is revoked', async () => {
    const keys = replica.app.get(ApiKeys);
    const { id, text } = await keys.create({ name: 'back office', scopes: ['events:read'] });
    const stream = await connect('', { 'x-api-key': text });
    await stream.next();
    await keys.revoke(id);
    while (await stream.next()) continue;
    const again = await connect('', { 'x-api-key': text });
    expect(again.status).toBe(401);
    again.cut();
  });

  it('ends cleanly when the service stops, which does not wait for it', async () => {
    const own = await startService({
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    });
    const stream = await listen(`${own.url}/v0/events`);
    await stream.next();
    const cut = await own.app.get(Listeners).close(20_000);
    expect(await stream.next()).toBeUndefined();
    expect([cut, stream.isComplete()]).toEqual([0, true]);
    await own.stop();
    await expect(listen(`${own.url}/v0/events`)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a request for events', () => {
  it.each([
    ['?after=yesterday', {}, 'validation-failed', '/after: must be the id of an event, or 0.'],
    ['?after=999999999', {}, 'event-not-found', 'This service has stored no event with the id 999999999.'],
    ['', { 'last-event-id': 'x"y' }, 'event-not-found', 'Last-Event-ID is not the id of an event.'],
    ['?types=offer.eaten', {}, 'validation-failed', /^\/types: must be one or more of approval\.approved, /],
    ['?subject=order-4711', {}, 'validation-failed', /^\/subject: must be a resource such as offers\/order-4711/],
    ['?since=0', {}, 'validation-failed', /since/],
  ])('%s %j is rejected as %s', async (query, headers, slug, detail) => {
    const reply = await get(`${replica.url}/v0/events${query}`, headers);
    expect(reply.json).toMatchObject({
      type: `${replica.url}/problems/${slug}`,
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    });
  });

  it('without the scope is rejected', async () => {
    const { text } = await replica.app.get(ApiKeys).create({ name: 'clerk', scopes: ['offers:read'] });
    const reply = await get(`${replica.url}/v0/events`, { 'x-api-key': text });
    expect([reply.status, reply.json['detail']]).toEqual([403, expect.stringContaining('events:read')]);
  });

  it('by HEAD has the head of the answer alone', async () => {
    const reply = await send(`${replica.url}/v0/events`, { method: 'HEAD' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  it('beyond the streams that a client may have is rejected until one of them is closed', async () => {
    const { text } = await replica.app.get(ApiKeys).create({ name: 'forgetful', scopes: ['events:read'] });
    const key = { 'x-api-key': text };
    const streams = await Promise.all(Array.from({ length: 20 }, () => connect('', key)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await get(`${replica.url}/v0/events`, key);
    expect([refused.status, refused.json['title']]).toEqual([429, 'Too Many Event Streams']);
    expect(refused.headers.get('retry-after')).toBe('10');
    streams[0]?.cut();
    let again = await connect('', key);
    while (again.status === 429) again = await connect('', key);
    expect(again.status).toBe(200);
    [...streams, again].forEach((stream) => {
      stream.cut();
    });
  });

  it('that is cut before the stream begins counts no longer', async () => {
    const { text } = await replica.app.get(ApiKeys).create({ name: 'hasty', scopes: ['events:read'] });
    const headers = { 'x-api-key': text };
    const { log } = replica.app.get(EventStore);
    const end = await log.end();
    let [asked, hurry] = [0, (): void => undefined];
    const late = new Promise<void>((resolve) => (hurry = resolve));
    const spy = jest.spyOn(log, 'end').mockImplementation(async () => {
      asked++;
      await late;
      return end;
    });
    const requests = Array.from({ length: 20 }, () => request(`${replica.url}/v0/events`, { headers, agent: false }));
    for (const each of requests) each.on('error', () => undefined).end();
    while (asked < 20) await delay(10);
    const connections = await connectionsOf(replica);
    for (const each of requests) each.destroy();
    while ((await connectionsOf(replica)) > connections - 20) await delay(10);
    hurry();
    spy.mockRestore();
    let stream = await connect('', headers);
    while (stream.status === 429) stream = await connect('', headers);
    expect(stream.status).toBe(200);
    stream.cut();
  });
});
