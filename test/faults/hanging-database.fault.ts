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
afterEach(() => service.stop(), 60_000);
afterAll(() => postgres.stop(), 60_000);

/** Resident memory of the service in bytes (Linux). */
function memory(): number {
  const [, kibi] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
  return Number(kibi) * 1024;
}

/** The most that it occupies until the time is over. */
async function peakWithin(work: Promise<unknown>): Promise<number> {
  let peak = memory();
  const watch = setInterval(() => (peak = Math.max(peak, memory())), 200);
  await work;
  clearInterval(watch);
  return peak;
}

interface Course {
  /** Bytes by which the memory grew over what the same load occupies without a fault. */
  readonly growth: number;
  readonly normalAfter: number;
  readonly told: readonly Told[];
}

/**
 * Under load before, during and after the fault. The heap of a service that is well goes up and down between two
 * collections, by more than any fault costs; so its peak under the same load, over a time as long, is what counts as before.
 */
async function during(fault: () => Promise<void>): Promise<Course> {
  const load: OfferLoad = startOfferLoad(service.url, perSecond);
  // What comes first is the start of a service that has nothing in its caches.
  await delay(30_000);
  const before = await peakWithin(delay(75_000));
  const begin = performance.now();
  let end = begin;
  const peak = await peakWithin(
    fault().then(async () => {
      end = performance.now();
      await delay(10_000);
    }),
  );
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
  300_000,
);
