import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { sealwright } from '../support/service/command-line';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/database/replicated-postgres';
import { answered, get, type Json } from '../support/http/requests';
import { freePort } from '../support/service/service';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { startTcpProxy, type TcpProxy } from '../support/counterparts/tcp-proxy';
import { acknowledged, type Act, judge } from './history';
import { PortalAndWallet } from './portal-and-wallet';
import { randomFrom } from './random';
import { readStored } from './stored-effects';

const clients = 24;
const leastAcknowledged = 10_000;
const seed = Number(process.env['SERVICE_TEST_SEED'] ?? Date.now() % 1_000_000);

let postgres: ReplicatedPostgres;
let proxies: readonly TcpProxy[] = [];
let database: string;
let ports: readonly number[] = [];
const replicas: ServiceProcess[] = [];

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  proxies = await Promise.all(
    [postgres.primary, postgres.standby].map(({ url }) =>
      startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) }),
    ),
  );
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',');
  database = (await postgres.createDatabase('read-write')).replace(/@[^/]+/, `@${hosts}`);
  ports = [await freePort(), await freePort()];
  for (const turn of ports.keys()) replicas[turn] = await startReplica(turn);
}, 120_000);
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await postgres.stop();
}, 60_000);

const urlOf = (turn: number): string => `http://127.0.0.1:${ports[turn]}`;

function startReplica(turn: number): Promise<ServiceProcess> {
  const port = String(ports[turn]);
  return startServiceProcess(database, urlOf(0), { SERVICE__HTTP__PORT: port, SERVICE__LOG__LEVEL: 'error' });
}

async function killReplica(turn: number): Promise<void> {
  replicas[turn]?.signal('SIGKILL');
  await replicas[turn]?.ended;
  replicas[turn] = await startReplica(turn);
}

async function cutLines(): Promise<void> {
  for (const proxy of proxies) proxy.cut();
  await delay(300);
  for (const proxy of proxies) proxy.mend();
}

async function hangLines(milliseconds: number): Promise<void> {
  for (const proxy of proxies) proxy.hang();
  await delay(milliseconds);
  for (const proxy of proxies) proxy.mend();
}

async function crashPrimary(): Promise<void> {
  await postgres.primary.end('KILL');
  await postgres.primary.start();
}

async function freezePrimary(milliseconds: number): Promise<void> {
  postgres.primary.signal('SIGSTOP');
  try {
    await delay(milliseconds);
  } finally {
    postgres.primary.signal('SIGCONT');
  }
}

async function lockEvents(milliseconds: number): Promise<void> {
  const client = new Client({ connectionString: databaseAt(postgres.primary.url) });
  await client.connect();
  await client.query('begin; lock table events');
  await delay(milliseconds);
  await client.query('commit');
  await client.end();
}

async function freezeReplica(turn: number, milliseconds: number): Promise<void> {
  replicas[turn]?.signal('SIGSTOP');
  try {
    await delay(milliseconds);
  } finally {
    replicas[turn]?.signal('SIGCONT');
  }
}

async function failOver(): Promise<void> {
  await postgres.primary.end('KILL');
  await postgres.promote();
}

function databaseAt(server: string): string {
  return new URL(new URL(database.replace(/@[^/]+/, '@one')).pathname, server).toString();
}

type Fault = readonly [name: string, fault: () => Promise<void>];

function faults(random: () => number): Fault[] {
  const between = (least: number, most: number): number => Math.round(least + (most - least) * random());
  const times = (many: number, name: string, fault: (turn: number) => Promise<void>): Fault[] =>
    Array.from({ length: many }, (_, turn) => [name, () => fault(turn % ports.length)]);
  return [
    ...times(20, 'kill -9 of a replica', killReplica),
    ...times(20, 'kill -9 of PostgreSQL', crashPrimary),
    ...times(12, 'connections cut', cutLines),
    ...times(4, 'connections that hang', () => hangLines(between(1_000, 6_000))),
    ...times(4, 'PostgreSQL stopped', () => freezePrimary(between(5_000, 15_000))),
    ...times(4, 'a replica stopped', (turn) => freezeReplica(turn, between(1_000, 6_000))),
    ...times(4, 'events locked', () => lockEvents(between(1_000, 6_000))),
  ];
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

it('over kills, cuts, hangs, locks and a failover nothing is lost, duplicated or done for a rejected request', async () => {
  const random = randomFrom(seed);
  const history: Act[] = [];
  const unexpected: string[] = [];
  let isOver = false;
  const load = Array.from({ length: clients }, async () => {
    const one = new PortalAndWallet(
      ports.map((_, turn) => urlOf(turn)),
      `${urlOf(0)}/openid4vci`,
      random,
      history,
      unexpected,
    );
    while (!isOver) await one.issueOnce();
    one.close();
  });
  const begin = performance.now();
  const happened: Record<string, number> = {};
  const during = async (name: string, fault: () => Promise<void>): Promise<void> => {
    await fault();
    happened[name] = (happened[name] ?? 0) + 1;
    // Until it works again, and a while longer.
    const before = history.length;
    await eventually(() => history.slice(before).filter(({ outcome }) => outcome === 'done').length > 100, 60_000);
  };
  try {
    await delay(3_000);
    for (const [name, fault] of shuffled(faults(random), random)) await during(name, fault);
    await during('failover', failOver);
    const count = (): number => history.filter(({ outcome }) => outcome === 'done').length;
    await eventually(() => count() > leastAcknowledged * 1.1, 180_000);
  } finally {
    isOver = true;
    await Promise.all(load);
  }
  const seconds = Math.round((performance.now() - begin) / 1000);
  const verdict = judge(history, await readStored(databaseAt(postgres.standby.url)));
  const counts = acknowledged(history);
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const outcomes = Object.fromEntries(
    (['done', 'refused', 'unknown'] as const).map((each) => [
      each,
      history.filter((act) => act.outcome === each).length,
    ]),
  );
  process.stdout.write(
    `seed ${seed}: ${JSON.stringify({ seconds, happened, acknowledged: total, ...counts, outcomes })}\n`,
  );
  expect({ ...verdict, unexpected: unexpected.slice(0, 10) }).toEqual({
    lost: [],
    doubled: [],
    refusedButStored: [],
    unexpected: [],
  });
  expect(total).toBeGreaterThan(leastAcknowledged);
  await expectShown(history);
  const settings = {
    SERVICE__PROFILE: 'development',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
  };
  expect(await sealwright(['verify-store'], settings)).toMatchObject({ code: 0 });
}, 900_000);

/** What the API shows agrees with the answers, too. */
async function expectShown(history: readonly Act[]): Promise<void> {
  const offers = await listed('/v0/offers');
  const credentials = await listed('/v0/credentials');
  const states = new Map(offers.map(({ offerId, state }) => [offerId, state]));
  const statuses = new Map(credentials.map(({ credentialId, status }) => [credentialId, status]));
  const perOffer = new Map<unknown, number>();
  for (const { offerId } of credentials) perOffer.set(offerId, (perOffer.get(offerId) ?? 0) + 1);
  expect(states.size).toBe(offers.length);
  const wrong = history
    .filter(({ outcome }) => outcome === 'done')
    .filter(({ effect, object }) => {
      switch (effect) {
        case 'offer':
          return !states.has(object);
        case 'credential':
          return perOffer.get(object) !== 1;
        case 'redemption':
          return states.get(object) !== 'Redeemed';
        case 'withdrawal':
          return states.get(object) !== 'Withdrawn';
        case 'issue':
          return statuses.get(object) !== 'Issued';
      }
    });
  expect(wrong).toEqual([]);
}

async function listed(path: string): Promise<Json[]> {
  const items: Json[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = answered(200, await get(`${urlOf(0)}${path}?limit=200${after}`)) as unknown as Page;
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

interface Page {
  readonly items: readonly Json[];
  readonly nextCursor?: string | null;
}
