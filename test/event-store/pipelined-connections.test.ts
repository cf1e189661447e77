import { openDriver, type SqlDriver, StoreUnavailableError } from '@app/event-store';
import { startDatabase, type TestDatabase } from '../support/database/databases';
import { eventually } from './accounts';

let database: TestDatabase;
let driver: SqlDriver;
let watcher: SqlDriver;

beforeAll(async () => {
  database = await startDatabase('postgres');
  watcher = await openDriver(database.options);
});
beforeEach(async () => {
  driver = await openDriver(database.options);
});
afterEach(() => driver.close());
afterAll(async () => {
  await watcher.close();
  await database.stop();
});

const read = (text: string, timeout?: number): Promise<{ pid: number }[]> =>
  driver.query({ name: text, text: `${text} pg_backend_pid() as pid`, values: [], timeout, lane: 'reads' });
const fast = (): Promise<{ pid: number }[]> => read('select 1 as one,');
/** Waits for the lock of the test, which `hold` takes. */
const slow = (timeout?: number): Promise<{ pid: number }[]> => read('select pg_advisory_xact_lock_shared(5),', timeout);

async function hold(): Promise<{ release: () => Promise<void> }> {
  const session = await watcher.session();
  await session.query({ name: 'hold', text: 'select pg_advisory_lock(5)', values: [] });
  return { release: () => session.close() };
}

/** How many connections wait for that lock. */
async function waiting(): Promise<number> {
  const text = `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 5 and not granted`;
  const [row] = await watcher.query<{ n: number }>({ name: 'waiting', text, values: [] });
  return row?.n ?? 0;
}

const pidsOf = (rows: readonly { readonly pid: number }[][]): number[] => [
  ...new Set(rows.flat().map(({ pid }) => pid)),
];

describe('statements on pipelined connections', () => {
  it('share two connections, however many are sent at once, and each gets its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        driver.query<{ i: number; pid: number }>({
          name: 'echo',
          text: 'select $1::int as i, pg_backend_pid() as pid',
          values: [i],
          lane: 'reads',
        }),
      ),
    );
    expect(answers.flat().map(({ i }) => i)).toEqual(Array.from({ length: 200 }, (_, i) => i));
    expect(pidsOf(answers).length).toBeLessThanOrEqual(2);
  });

  it('are transactions of their own: one that fails leaves no trace in those behind it', async () => {
    await fast();
    const failing = read('select 1 / 0,');
    const others = Promise.all([fast(), fast(), fast(), fast()]);
    await expect(failing).rejects.toMatchObject({ name: 'SqlError', code: '22012' });
    await expect(others).resolves.toHaveLength(4);
  });

  it('may be sent again when one before them could not be prepared', async () => {
    const session = await watcher.session();
    await session.query({ name: 'make', text: 'create table if not exists locked (n int)', values: [] });
    await session.query({ name: 'begin', text: 'begin', values: [] });
    await session.query({ name: 'lock', text: 'lock table locked in access exclusive mode', values: [] });
    const locked = (): Promise<{ pid: number }[]> => read('select (select count(*) from locked) as n,');
    await Promise.all([fast(), fast()]);
    const answers = await Promise.allSettled(Array.from({ length: 6 }, locked));
    for (const one of answers) {
      const reason = { name: 'StoreUnavailableError', outcomeUnknown: false };
      expect(one).toMatchObject({ status: 'rejected', reason });
    }
    await session.close();
    await expect(Promise.all(Array.from({ length: 6 }, locked))).resolves.toHaveLength(6);
  });

  it('take the other connection while one is held up', async () => {
    await Promise.all([fast(), fast()]);
    const { release } = await hold();
    const held = slow();
    await eventually(async () => (await waiting()) === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const answers = await Promise.all(Array.from({ length: 20 }, fast));
    await release();
    expect(pidsOf(answers)).toHaveLength(1);
    expect(pidsOf([await held])).not.toEqual(pidsOf(answers));
  });

  it('are given up at their time, with the connection: later ones get a new one, and those behind have their own time', async () => {
    const [first] = await fast();
    const [second] = (await Promise.all([slow(), fast()])).flat();
    const { release } = await hold();
    const late = [slow(300), slow(300)];
    await eventually(async () => (await waiting()) === 2);
    const behind = [fast(), fast()];
    for (const one of await Promise.allSettled(late)) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { name: 'StoreUnavailableError', outcomeUnknown: true },
      });
    }
    const [next] = await fast();
    expect([first?.pid, second?.pid]).not.toContain(next?.pid);
    await release();
    expect(pidsOf(await Promise.all(behind))).not.toContain(next?.pid);
    await eventually(async () => {
      const text = 'select count(*)::int as n from pg_stat_activity where pid = any($1::int[])';
      const [row] = await watcher.query<{ n: number }>({ name: 'left', text, values: [[first?.pid, second?.pid]] });
      return row?.n === 0;
    });
  });

  it('are not waited for longer than their time when nothing comes back any more', async () => {
    const { release } = await hold();
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => slow(200)));
    expect(all.map((one) => (one.status === 'rejected' ? one.reason : one))).toEqual(
      Array(20).fill(expect.any(StoreUnavailableError)),
    );
    await release();
    await expect(fast()).resolves.toHaveLength(1);
  });

  it('have an unknown outcome when their connection is cut, and the next one finds another', async () => {
    const { release } = await hold();
    const lost = [slow(), slow()];
    await eventually(async () => (await waiting()) === 2);
    const behind = [fast(), fast()];
    const text = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 5 and not granted`;
    await watcher.query({ name: 'cut', text, values: [] });
    for (const one of await Promise.allSettled([...lost, ...behind])) {
      expect(one).toMatchObject({ status: 'rejected', reason: { outcomeUnknown: true } });
    }
    await expect(fast()).resolves.toHaveLength(1);
    await release();
  });

  it('have one plan each, whatever their values', async () => {
    const keyed = { name: 'keyed', text: 'select * from unnest($1::text[]) as key', lane: 'reads' } as const;
    for (let i = 0; i < 10; i++) await driver.query({ ...keyed, values: [['one', 'two']] });
    const text = `select generic_plans::int as once, custom_plans::int as each from pg_prepared_statements where name = 'keyed'`;
    expect(await driver.query({ name: 'plans', text, values: [], lane: 'reads' })).toEqual([{ once: 10, each: 0 }]);
  });

  it('are counted with the connections', async () => {
    const before = driver.connections?.();
    const { release } = await hold();
    const held = slow();
    await eventually(async () => (await waiting()) === 1);
    expect(driver.connections?.()?.busy).toBe((before?.busy ?? 0) + 1);
    await release();
    await held;
    expect(driver.connections?.()).toEqual({ ...before, idle: (before?.idle ?? 0) + 1 });
  });
});

it('a host that has gone without a word is noticed by the server within half a minute', async () => {
  const session = await driver.session();
  const [keepalives] = await session.query<{ idle: number; interval: number; count: number }>({
    name: 'keepalives',
    text: `select current_setting('tcp_keepalives_idle')::int as idle, current_setting('tcp_keepalives_interval')::int as interval,
      current_setting('tcp_keepalives_count')::int as count`,
    values: [],
  });
  const { idle = 0, interval = 0, count = 0 } = keepalives ?? {};
  expect(idle).toBeGreaterThan(0);
  expect(idle + interval * count).toBeLessThanOrEqual(30);
  await session.close();
});
