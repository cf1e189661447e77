import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { type OfferLoad, reckon, startOfferLoad } from '../support/portal/offer-load';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { get, type Json } from '../support/http/requests';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

let postgres: TestPostgres;
let database: string;
let service: ServiceProcess;
let load: OfferLoad | undefined;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  service = await startServiceProcess(database, undefined, { SERVICE__HTTP__REQUEST_SECONDS: '6' });
});
afterEach(async () => {
  postgres.thaw?.();
  await load?.stop();
});
afterAll(async () => {
  await service.stop();
  await postgres.stop();
});

const created = (): number => load?.answers.filter(({ status }) => status === 201).length ?? 0;
const refused = (): number =>
  load?.answers.filter(({ status, problem }) => status === 503 && problem === 'unavailable').length ?? 0;

/** Constant load; the fault lasts until many requests were rejected, and after it the service works again. */
async function under(begin: () => Promise<void>, end: () => Promise<void>, meanwhile = async (): Promise<void> => {}) {
  load = startOfferLoad(service.url, 20);
  await eventually(() => created() > 20, 30_000);
  await begin();
  try {
    await eventually(() => refused() > 40, 40_000);
    await meanwhile();
    // Longer than any of them may wait.
    await delay(4_000);
  } finally {
    await end();
  }
  const before = created();
  await eventually(() => created() > before + 20, 30_000);
  return reckon(await load.stop(), database);
}

describe('a database that hangs', () => {
  it('delays no client beyond the request timeout, and no rejected request is carried out', async () => {
    if (postgres.freeze === undefined) return; // a server that was given to the tests
    const reckoning = await under(
      () => Promise.resolve(postgres.freeze?.()),
      () => Promise.resolve(postgres.thaw?.()),
      async () => {
        const ready = await get(`${service.url}/readyz`);
        expect([ready.status, Object.keys(ready.json['error'] as Json)]).toEqual([
          503,
          expect.arrayContaining(['database']),
        ]);
        expect((await get(`${service.url}/livez`)).status).toBe(200);
      },
    );
    expect(reckoning).toMatchObject({ unanswered: 0, lost: 0, refusedButStored: 0 });
    const refused = (load?.answers ?? []).filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0);
    await eventually(async () => (await get(`${service.url}/readyz`)).status === 200, 20_000);
  });

  it('delays no client longer when the table of events is locked, and reads go on', async () => {
    const client = new Client({ connectionString: database });
    await client.connect();
    const reckoning = await under(
      async () => {
        await client.query('begin; lock table events');
      },
      async () => {
        await client.query('commit');
      },
      async () => {
        expect((await get(`${service.url}/v0/offers`)).status).toBe(200);
      },
    );
    await client.end();
    expect(reckoning).toMatchObject({ unanswered: 0, lost: 0, refusedButStored: 0 });
  });
});
