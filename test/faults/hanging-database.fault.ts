import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type OfferLoad, reckon, startOfferLoad, type Told } from '../support/offer-load';
import { startPostgres, type TestPostgres } from '../support/postgres';
import { type ServiceProcess, startServiceProcess } from '../support/service-process';

const perSecond = 100;
const mebi = 1024 * 1024;

let postgres: TestPostgres;
let database: string;
let service: ServiceProcess;

beforeAll(async () => {
  postgres = await startPostgres({ fsync: true });
}, 120_000);
beforeEach(async () => {
  database = await postgres.createDatabase();
  service = await startServiceProcess(database);
}, 120_000);
afterEach(() => service.stop());
afterAll(() => postgres.stop());

/** Resident memory of the service in bytes (Linux). */
function memory(): number {
  const [, kibi] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
  return Number(kibi) * 1024;
}

/** Under load before, during and after the fault. */
async function during(
  fault: () => Promise<void>,
): Promise<{ growth: number; normalAfter: number; told: readonly Told[] }> {
  const load: OfferLoad = startOfferLoad(service.url, perSecond);
  await delay(30_000);
  const begin = performance.now();
  const before = memory();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, memory())), 200);
  await fault();
  const end = performance.now();
  await delay(10_000);
  clearInterval(watch);
  // What came before was the start of a service that had nothing in its caches.
  const told = (await load.stop()).filter(({ sentAt }) => sentAt >= begin);
  const lastRefusal = Math.max(end, ...told.filter(({ status }) => status !== 201).map(({ sentAt }) => sentAt));
  return { growth: peak - before, normalAfter: lastRefusal - end, told };
}

it.each([
  [
    'is stopped for 60 seconds',
    async () => {
      postgres.freeze?.();
      try {
        await delay(60_000);
      } finally {
        postgres.thaw?.();
      }
    },
  ],
  [
    'has its events locked for 35 seconds',
    async () => {
      const client = new Client({ connectionString: database });
      await client.connect();
      await client.query('begin; lock table events');
      await delay(35_000);
      await client.query('commit');
      await client.end();
    },
  ],
] as const)(
  'a database that %s: everybody hears in time, nothing is done for nobody, memory stays, service is back',
  async (what, fault) => {
    const { growth, normalAfter, told } = await during(fault);
    const reckoning = await reckon(told, database);
    const figures = { ...reckoning, growthMiB: Math.round(growth / mebi), normalAfterMs: Math.round(normalAfter) };
    process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
    expect(reckoning).toMatchObject({ unanswered: 0, lost: 0, storedForNobody: 0 });
    expect(reckoning.slowestMilliseconds).toBeLessThan(10_500);
    expect(growth).toBeLessThan(50 * mebi);
    expect(normalAfter).toBeLessThan(2_000);
  },
  240_000,
);
