import type { ServerResponse } from 'node:http';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { DeliveryTable } from '@app/events/src/webhooks/delivery-table';
import { Deliverers } from '@app/events/src/webhooks/deliverers';
import { eventually } from '../event-store/accounts';
import { firstArrivals, startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { startEventLoad } from '../support/portal/event-load';
import { type RunningService, startService } from '../support/service/service';

const minutes = 60_000;

let service: RunningService;
let receiver: WebhookReceiver;
let ahead = 0;

beforeAll(async () => {
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
  const store = service.app.get(EventStore);
  const clock = store.clock.bind(store);
  jest.spyOn(store, 'clock').mockImplementation(() => new Date(clock().getTime() + ahead));
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.stop());
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
});

/** Lets time pass, and everything be tried that is due then. */
async function pass(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  await quiet();
}

async function quiet(): Promise<void> {
  const table = new DeliveryTable(service.app.get<SqlDriver>(SQL_DRIVER));
  await eventually(async () => {
    service.app.get(Deliverers).wake();
    return (await table.waiting(service.app.get(EventStore).clock())).length === 0;
  });
}

async function handedOut(webhookId: string, count: number): Promise<void> {
  const log = `${service.url}/v0/webhooks/${webhookId}/deliveries?limit=200`;
  await eventually(async () => (answered(200, await get(log))['items'] as Json[]).length === count);
}

async function heldUntil(webhookId: string): Promise<Date | undefined> {
  const [row] = await service.app.get<SqlDriver>(SQL_DRIVER).query<{ until: Date | null }>({
    name: 'test-held-until',
    text: 'select held_until as until from webhook_receivers where webhook_id = $1',
    values: [webhookId],
  });
  return row?.until ?? undefined;
}

const created = async (): Promise<string> =>
  String(answered(201, await postJson(`${service.url}/v0/webhooks`, { url: receiver.url }))['webhookId']);
const typesBySubject = (): Map<string, unknown[]> => {
  const types = new Map(receiver.messages.map(({ id, event }) => [id, event['type']]));
  return new Map(
    [...firstArrivals(receiver.messages)].map(([subject, ids]) => [subject, ids.map((id) => types.get(id))]),
  );
};

describe('a receiver that is down for an hour', () => {
  it('gets every event afterwards, those of each subject in order', async () => {
    const webhookId = await created();
    const load = await startEventLoad(service.url, 10);
    await handedOut(webhookId, 10);
    await quiet();
    const port = Number(new URL(receiver.url).port);
    const before = receiver.messages;
    await receiver.stop();
    for (let step = 0; step < 12; step++) {
      await load.produce(4, 4);
      await handedOut(webhookId, 10 + 4 * (step + 1));
      await pass(5 * minutes);
    }
    receiver = await startWebhookReceiver(port);
    (receiver.messages as unknown[]).push(...before);
    while (new Set(receiver.messages.map(({ id }) => id)).size < 58) await pass(5 * minutes);
    expect(typesBySubject()).toEqual(load.stored);
    expect(answered(200, await get(`${service.url}/v0/webhooks/${webhookId}`))['status']).toBe('Enabled');
  });

  it('is paused after a day with the reason, and gets every event when it is resumed', async () => {
    const webhookId = await created();
    receiver.answerBy((_message, response) => response.writeHead(503).end());
    const load = await startEventLoad(service.url, 3);
    await handedOut(webhookId, 3);
    const state = async () => answered(200, await get(`${service.url}/v0/webhooks/${webhookId}`));
    for (let hours = 0; hours < 30 && (await state())['status'] === 'Enabled'; hours++) await pass(60 * minutes);
    expect(await state()).toMatchObject({ status: 'Paused', pause: { reason: 'failing', lastFailure: 'status 503' } });
    receiver.answerBy((_message, response) => response.writeHead(204).end());
    const resumed = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"status":"Enabled"}' };
    await fetch(`${service.url}/v0/webhooks/${webhookId}`, resumed);
    const log = `${service.url}/v0/webhooks/${webhookId}/deliveries?status=Delivered`;
    await eventually(async () => (answered(200, await get(log))['items'] as Json[]).length === 3);
    expect(typesBySubject()).toEqual(load.stored);
  });

  it('and that fails once more when it is resumed, still gets the event that was tried most often', async () => {
    const webhookId = await created();
    receiver.answerBy((_message, response) => response.writeHead(503).end());
    await startEventLoad(service.url, 1);
    await handedOut(webhookId, 1);
    const state = async () => answered(200, await get(`${service.url}/v0/webhooks/${webhookId}`))['status'];
    for (let times = 0; times < 24 && (await state()) === 'Enabled'; times++) await pass(180 * minutes);
    const { length: tried } = receiver.messages;
    expect(tried).toBeGreaterThanOrEqual(10);
    const resumed = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"status":"Enabled"}' };
    await fetch(`${service.url}/v0/webhooks/${webhookId}`, resumed);
    await eventually(() => receiver.messages.length > tried);
    await quiet();
    receiver.answerBy((_message, response) => response.writeHead(204).end());
    await pass(minutes);
    const [delivery] = answered(200, await get(`${service.url}/v0/webhooks/${webhookId}/deliveries`))[
      'items'
    ] as Json[];
    expect(delivery?.['status']).toBe('Delivered');
    expect(delivery?.['attempts']).toHaveLength(tried + 2);
  });
});

describe('an event that a receiver refuses', () => {
  it('holds up later ones of its subject only, and is dead after the last attempt', async () => {
    const webhookId = await created();
    const [refused] = [...(await startEventLoad(service.url, 1)).stored.keys()];
    receiver.answerBy((message, response) => response.writeHead(message.subject === refused ? 400 : 204).end());
    const log = (query = '') => get(`${service.url}/v0/webhooks/${webhookId}/deliveries${query}`);
    const other = await startEventLoad(service.url, 1);
    for (let times = 0; times < 24; times++) {
      // Others are received all the time, so the receiver is not given up.
      await other.produce(1, 1);
      await handedOut(webhookId, 3 + times);
      await pass(180 * minutes);
    }
    expect(typesBySubject().get([...other.stored.keys()][0] ?? '')).toHaveLength(25);
    const dead = answered(200, await log('?status=Dead'))['items'] as Json[];
    expect(dead.map(({ subject, attempts }) => [subject, (attempts as Json[]).length])).toEqual([[refused, 11]]);
  });

  it('is sent when the receiver wants it, if it says so', async () => {
    await created();
    receiver.answerBy((_message, response) => response.writeHead(429, { 'retry-after': '7200' }).end());
    await startEventLoad(service.url, 1);
    await eventually(() => receiver.messages.length === 1);
    // Until the answer is stored, with the time of the next attempt.
    await quiet();
    await pass(119 * minutes);
    expect(receiver.messages).toHaveLength(1);
    receiver.answerBy((_message, response) => response.writeHead(204).end());
    await pass(2 * minutes);
    expect(receiver.messages).toHaveLength(2);
  });

  it('has the others wait as well if the receiver says when, also when one of them was received meanwhile', async () => {
    const webhookId = await created();
    const open: ServerResponse[] = [];
    receiver.answerBy((_message, response) => open.push(response));
    await startEventLoad(service.url, 1);
    await eventually(() => open.length === 1);
    // That nobody answers the first one does not hold up the second, of another subject: it would for ten seconds.
    await startEventLoad(service.url, 1);
    await eventually(() => open.length === 2, 8_000);
    const [first, second] = open;
    first?.writeHead(429, { 'retry-after': '3600' }).end();
    await eventually(async () => (await heldUntil(webhookId)) !== undefined);
    second?.writeHead(204).end();
    const log = `${service.url}/v0/webhooks/${webhookId}/deliveries?status=Delivered`;
    await eventually(async () => (answered(200, await get(log))['items'] as Json[]).length === 1);
    await startEventLoad(service.url, 1);
    await handedOut(webhookId, 3);
    await quiet();
    expect(receiver.messages).toHaveLength(2);
    expect(await heldUntil(webhookId)).toBeDefined();
    receiver.answerBy((_message, response) => response.writeHead(204).end());
    await pass(61 * minutes);
    expect(receiver.messages).toHaveLength(4);
  });
});

describe('deliveries that are older than what is kept', () => {
  it('are removed unless they wait for a webhook that takes events', async () => {
    const [enabled, paused] = [await created(), await created()];
    const log = async (id: string) =>
      (answered(200, await get(`${service.url}/v0/webhooks/${id}/deliveries`))['items'] as Json[]).map(
        ({ status }) => status,
      );
    await startEventLoad(service.url, 1);
    await handedOut(paused, 1);
    await eventually(async () => (await log(enabled)).join() === 'Delivered');
    receiver.answerBy((_message, response) => response.writeHead(500).end());
    await startEventLoad(service.url, 1);
    await handedOut(paused, 2);
    await quiet();
    const table = new DeliveryTable(service.app.get<SqlDriver>(SQL_DRIVER));
    const settings = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"status":"Paused"}' };
    await fetch(`${service.url}/v0/webhooks/${paused}`, settings);
    const now = service.app.get(EventStore).clock();
    await eventually(async () => {
      await table.removeOld(now);
      return (await log(paused)).length === 0;
    });
    expect(await log(enabled)).toEqual(['Pending']);
  });
});
