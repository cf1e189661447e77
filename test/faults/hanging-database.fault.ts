import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type OfferLoad, reckon, startOfferLoad, type OfferAnswer } from '../support/portal/offer-load';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { get } from '../support/http/requests';
import { freePort } from '../support/service/service';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const perSecond = 100;
const mebi = 1024 * 1024;

let postgres: TestPostgres;
let database: string;
let service: ServiceProcess;
let metricsPort: number;

beforeAll(async () => {
  postgres = await startPostgres({ fsync: true });
}, 120_000);
beforeEach(async () => {
  database = await postgres.createDatabase();
  metricsPort = await freePort();
  service = await startServiceProcess(database, undefined, {
    SERVICE__METRICS__ENABLED: 'true',
    SERVICE__METRICS__PORT: String(metricsPort),
  });
}, 120_000);
afterEach(() => service.stop(), 60_000);
afterAll(() => postgres.stop(), 60_000);

/** Resident memory of the service in bytes (Linux). */
function resident(): number {
  const [, kibi] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
  return Number(kibi) * 1024;
}

/** Bytes of its heap that are in use: what is alive, and what has not been collected yet. */
async function heap(): Promise<number> {
  const { text } = await get(`http://127.0.0.1:${metricsPort}/metrics`);
  return Number(/^nodejs_heap_size_used_bytes(?:\{.*\})? (\S+)$/m.exec(text)?.[1]);
}

/** In bytes, over a time. */
interface Memory {
  /** The most that was resident. */
  readonly peak: number;
  /** The least that the heap held: what is alive, where the time is long enough for a full collection. */
  readonly alive: number;
}

async function watch(work: Promise<unknown>): Promise<Memory> {
  const over = new AbortController();
  const watched = work.finally(() => {
    over.abort();
  });
  let memory: Memory = { peak: resident(), alive: Infinity };
  while (!over.signal.aborted) {
    memory = { peak: Math.max(memory.peak, resident()), alive: Math.min(memory.alive, await heap()) };
    await delay(200);
  }
  await watched;
  return memory;
}

interface Course {
  readonly before: Memory;
  readonly since: Memory;
  readonly normalAfter: number;
  readonly answers: readonly OfferAnswer[];
}

/**
 * Under load before, during and after the fault. The heap of a service that is well goes up and down by more than any fault
 * costs, as V8 collects it once in half a minute. So what is compared is what is alive; and the peak, with that of the same load
 * without a fault.
 */
async function during(fault: () => Promise<void>): Promise<Course> {
  const load: OfferLoad = startOfferLoad(service.url, perSecond);
  // What comes first is the start of a service that has nothing in its caches.
  await delay(30_000);
  const before = await watch(delay(60_000));
  const begin = performance.now();
  let end = begin;
  const faulty = fault().then(() => (end = performance.now()));
  // What was collected a moment ago says nothing about the fault.
  await delay(10_000);
  const since = await watch(faulty.then(() => delay(20_000)));
  const answers = (await load.stop()).filter(({ sentAt }) => sentAt >= begin);
  const lastRefusal = Math.max(end, ...answers.filter(({ status }) => status !== 201).map(({ sentAt }) => sentAt));
  return { before, since, normalAfter: lastRefusal - end, answers };
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
  'a database that %s: every client is answered in time, no rejected request is carried out, memory is stable, service is back',
  async (what, fault) => {
    const { before, since, normalAfter, answers } = await during(fault);
    const alive = since.alive - before.alive;
    const peak = since.peak - before.peak;
    const reckoning = await reckon(answers, database);
    const figures = {
      ...reckoning,
      aliveMiB: Math.round(alive / mebi),
      peakMiB: Math.round(peak / mebi),
      normalAfterMs: Math.round(normalAfter),
    };
    process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
    expect(reckoning).toMatchObject({ unanswered: 0, lost: 0, refusedButStored: 0 });
    expect(reckoning.slowestMilliseconds).toBeLessThan(10_500);
    expect(alive).toBeLessThan(50 * mebi);
    // One collection of the heap more or less.
    expect(peak).toBeLessThan(150 * mebi);
    expect(normalAfter).toBeLessThan(2_000);
  },
  300_000,
);
