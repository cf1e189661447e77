import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../support/database/postgres';
import { openConnection } from '../support/http/raw-connection';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const postgres = sharedPostgres();
let database: string;
beforeAll(async () => {
  database = await postgres.createDatabase();
});

const started: ServiceProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((service) => service.stop())));

async function start(drainSeconds: number, publicUrl?: string): Promise<ServiceProcess> {
  const settings = { SERVICE__HTTP__DRAIN_SECONDS: String(drainSeconds) };
  const service = await startServiceProcess(database, publicUrl, settings);
  started.push(service);
  return service;
}

interface Answer {
  readonly status: number;
  readonly isLast: boolean;
}

function createOffer(url: string, agent: Agent, offerId: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v0/offers`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, isLast: response.headers.connection === 'close' });
      });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ offerId }));
  });
}

/** A client with one busy connection that moves to the other replica when its connection is closed. */
async function work(name: string, homes: readonly [string, string], until: () => boolean) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const tally = { answered: 0, failed: [] as string[], moved: false };
  for (let turn = 0; !until() && tally.failed.length === 0; turn += 1) {
    try {
      const answer = await createOffer(homes[tally.moved ? 1 : 0], agent, `${name}-${turn}`);
      if (answer.status === 201) tally.answered += 1;
      else tally.failed.push(`status ${answer.status}`);
      tally.moved ||= answer.isLast;
      // Under load, with room for the service to stop.
      await delay(10);
    } catch (error) {
      tally.failed.push(String(error));
    }
  }
  agent.destroy();
  return tally;
}

const halfBody =
  'POST /v0/offers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"of';
const wholeRequest = 'GET /jwks.json HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('a service that receives a signal', () => {
  it('under load fails no request, waits for no idle client and ends with 0 within ten seconds', async () => {
    const first = await start(1);
    const second = await start(1, first.url);
    let isOver = false;
    const clients = Array.from({ length: 8 }, (_, index) =>
      work(`load-${index}`, [first.url, second.url], () => isOver),
    );
    const idle = await openConnection(first.url);
    idle.write(wholeRequest);
    const hanging = await openConnection(first.url);
    hanging.write(halfBody);
    const silent = await openConnection(first.url);
    await delay(500);
    while (idle.received() === '') await delay(50);
    expect(idle.received()).toMatch(/^HTTP\/1\.1 200 /);

    const signalled = Date.now();
    const ready = async () => (await fetch(`${first.url}/readyz`)).status;
    expect(await ready()).toBe(200);
    first.signal('SIGTERM');
    while ((await ready()) !== 503) await delay(20);
    await Promise.all([idle.closed, silent.closed]);
    expect(hanging.isClosed()).toBe(false);
    expect(await first.ended).toBe(0);
    expect(Date.now() - signalled).toBeLessThan(10_000);
    await hanging.closed;

    isOver = true;
    const tallies = await Promise.all(clients);
    expect(tallies.flatMap(({ failed }) => failed)).toEqual([]);
    for (const { answered, moved } of tallies) {
      expect(moved).toBe(true);
      expect(answered).toBeGreaterThan(20);
    }
  });
});
