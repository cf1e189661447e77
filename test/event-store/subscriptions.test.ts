import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { EventStore, type StoredEvent } from '@app/event-store';
import { Client } from 'pg';
import { databaseKinds, databaseOn, startDatabase, type TestDatabase } from '../support/database/databases';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { eventually, open, payIn, repositories } from './accounts';

const key = (stored: StoredEvent): string => `${stored.category}-${stored.id}@${stored.version}`;

beforeAll(() => jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined));

describe.each(databaseKinds)('a subscription (%s)', (kind) => {
  let database: TestDatabase;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];

  beforeAll(async () => {
    database = await startDatabase(kind);
    ({ store } = await database.open());
    ({ accounts } = repositories(store));
  });
  afterAll(() => database.stop());

  it('delivers past and new events, each stream in order', async () => {
    const seen: StoredEvent[] = [];
    const id = randomUUID();
    await accounts.save(id, 0, [open(), payIn(1)]);
    const subscription = store.subscribe('first', (event) => {
      seen.push(event);
      return Promise.resolve();
    });
    await eventually(() => seen.length === 2);
    await accounts.save(id, 2, [payIn(2)]);
    await eventually(() => seen.length === 3);
    expect(seen.map(key)).toEqual([1, 2, 3].map((version) => `account-${id}@${version}`));
    expect(seen[2]).toMatchObject({
      category: 'account',
      id,
      version: 3,
      event: payIn(2),
      recordedAt: expect.any(Date),
      terms: { owner: 'ada' },
    });
    expect(new Set(seen.map(({ position }) => position)).size).toBe(3);
    await subscription.stop();
    await accounts.save(id, 3, [payIn(3)]);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(seen).toHaveLength(3);
  });

  it('resumes where it stopped, by its name', async () => {
    const seen: string[] = [];
    const subscription = store.subscribe('first', (event) => {
      seen.push(key(event));
      return Promise.resolve();
    });
    await eventually(() => seen.length > 0);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/@4$/);
    await subscription.stop();
  });

  it('retries a failing handler and delivers nothing else meanwhile', async () => {
    const id = randomUUID();
    await accounts.save(id, 0, [open(), payIn(1), payIn(2)]);
    const calls: string[] = [];
    const subscription = store.subscribe('shaky', (event) => {
      if (event.id !== id) return Promise.resolve();
      calls.push(key(event).slice(-2));
      return calls.length <= 3 && event.version === 2 ? Promise.reject(new Error('no')) : Promise.resolve();
    });
    await eventually(() => calls.includes('@3'));
    expect(calls).toEqual(['@1', '@2', '@2', '@2', '@3']);
    await subscription.stop();
  });

  it('hands out what is wanted alone, several at once, and one by itself where it is asked for', async () => {
    const id = randomUUID();
    const batches: string[][] = [];
    const failing = { left: 1 };
    await accounts.save(id, 0, [open(), payIn(1), payIn(2), payIn(3), payIn(4)]);
    const subscription = store.subscribe('chosen', {
      types: ['PaidIn'],
      isAlone: ({ version }) => version === 4,
      batch: (events) => {
        const own = events.filter((event) => event.id === id).map(({ version }) => String(version));
        if (own.length > 0) batches.push(own);
        return own.includes('4') && failing.left-- > 0 ? Promise.reject(new Error('no')) : Promise.resolve();
      },
    });
    await eventually(() => batches.flat().includes('5'));
    expect(batches).toEqual([['2', '3'], ['4'], ['4'], ['5']]);
    await eventually(async () => (await store.subscriptionLags()).get('chosen') === 0);
    await subscription.stop();
  });

  it('reads on behind events that are not wanted', async () => {
    const seen: string[] = [];
    const id = randomUUID();
    const payments = Array.from({ length: 250 }, (_, index) => payIn(index + 1));
    await accounts.save(`${id}-before`, 0, [open(), ...payments]);
    await accounts.save(id, 0, [open()]);
    const subscription = store.subscribe('far behind', {
      member: 'owner',
      batch: (events) => {
        seen.push(...events.map((event) => event.id));
        return Promise.resolve();
      },
    });
    await eventually(() => seen.includes(id));
    expect(seen.filter((one) => one.startsWith(id))).toEqual([`${id}-before`, id]);
    await subscription.stop();
  });

  it('runs once per name', () => {
    const subscription = store.subscribe('twice', () => Promise.resolve());
    expect(() => store.subscribe('twice', () => Promise.resolve())).toThrow('already running');
    return subscription.stop();
  });

  it('may write in its handler, in units of their own', async () => {
    const id = randomUUID();
    const subscription = await store.transact(() =>
      Promise.resolve(
        store.subscribe('writer', async (event) => {
          if (event.id === id) await accounts.save(`${id}-copy`, 0, [open('copy')]);
        }),
      ),
    );
    await accounts.save(id, 0, [open()]);
    await eventually(async () => (await accounts.load(`${id}-copy`)).version === 1);
    await subscription.stop();
  });
});

describe('subscriptions of several processes', () => {
  let server: TestPostgres;
  let database: TestDatabase;
  beforeAll(async () => {
    server = await startPostgres();
  });
  beforeEach(async () => {
    database = await databaseOn(server);
  });
  afterEach(() => database.stop());
  afterAll(() => server.stop());

  it('skips nothing when a transaction commits late, with eight writers at work', async () => {
    const { store, driver } = await database.open();
    const { accounts } = repositories(store);
    const seen: string[] = [];
    store.subscribe('all', (event) => {
      seen.push(key(event));
      return Promise.resolve();
    });
    const url = database.options.type === 'postgres' ? database.options.connectionString : '';
    const late = new Client({ connectionString: url });
    await late.connect();
    const writeLate = (id: string): Promise<unknown> =>
      late.query(`insert into events (stream_id, version, type, data, metadata)
        values ('account-${id}', 1, 'Opened', '{"owner":"late"}', '{"unit":"late","version":1}')`);
    let done = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; !done; i++) {
        await accounts.save(`${writer}-${i}`, 0, [open()]);
        if (i % 3 === 0) await accounts.save(`${writer}-${i}`, 1, [payIn(1), payIn(2)]);
      }
    });
    try {
      for (let round = 0; round < 6; round++) {
        await late.query('begin');
        await writeLate(`late-${round}`);
        await new Promise((resolve) => setTimeout(resolve, 150));
        await late.query(round % 3 === 2 ? 'rollback' : 'commit');
      }
    } finally {
      done = true;
      await Promise.all(writers);
      await late.end();
    }
    const rows = await driver.query<{ key: string }>({
      name: 'all-keys',
      text: `select stream_id || '@' || version as key from events order by 1`,
      values: [],
    });
    const all = rows.map((row) => row.key);
    await eventually(() => seen.length >= all.length, 60_000);
    expect(all.length).toBeGreaterThan(50);
    expect([...seen].sort()).toEqual([...all].sort());
    for (const [index, each] of seen.entries()) {
      const [stream = '', version = ''] = each.split('@');
      if (version !== '1') expect(seen.indexOf(`${stream}@${Number(version) - 1}`)).toBeLessThan(index);
    }
  });

  it('has one active reader, and another takes over when it dies', async () => {
    const { store, driver } = await database.open();
    const { accounts } = repositories(store);
    const { store: other } = await database.open();
    const seen = { one: [] as string[], two: [] as string[] };
    const first = store.subscribe('shared', (event) => {
      seen.one.push(key(event));
      return Promise.resolve();
    });
    await accounts.save('a', 0, [open()]);
    await eventually(() => seen.one.length === 1);
    other.subscribe('shared', (event) => {
      seen.two.push(key(event));
      return Promise.resolve();
    });
    const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400));
    await settle();
    await accounts.save('b', 0, [open()]);
    await eventually(() => seen.one.length > 1);
    await settle();
    expect(seen).toEqual({ one: ['account-a@1', 'account-b@1'], two: [] });
    await first.stop();
    await accounts.save('c', 0, [open()]);
    await eventually(() => seen.two.length > 0);
    expect(seen).toEqual({ one: ['account-a@1', 'account-b@1'], two: ['account-c@1'] });

    // Until its checkpoint is written an event would be delivered again.
    const checkpoint = {
      name: 'shared-checkpoint',
      text: `select from subscriptions s join events e on (e.tx, e.position) = (s.tx, s.position)
        where s.name = 'shared' and e.stream_id = 'account-c'`,
      values: [],
    };
    await eventually(async () => (await driver.query(checkpoint)).length === 1);
    // The connection that holds the lock is cut: reading goes on over another.
    await driver.query({
      name: 'cut',
      text: `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`,
      values: [],
    });
    await accounts.save('d', 0, [open()]);
    await eventually(() => seen.two.includes('account-d@1'));
    expect(seen.two).toEqual(['account-c@1', 'account-d@1']);
  });

  it('resumes after a backup was restored on a server whose transaction ids start over', async () => {
    const before = await database.open();
    const seen: string[] = [];
    const watch = (store: EventStore): void => {
      store.subscribe('restored', (event) => {
        seen.push(key(event));
        return Promise.resolve();
      });
    };
    watch(before.store);
    const { accounts } = repositories(before.store);
    await accounts.save('a', 0, [open()]);
    await eventually(() => seen.length === 1);
    await before.store.close();
    const unwatched = await database.open();
    await repositories(unwatched.store).accounts.save('b', 0, [open()]);
    for (const table of ['events', 'subscriptions']) {
      const text = `update ${table} set tx = (tx::text::bigint + 4000000000)::text::xid8`;
      await unwatched.driver.query({ name: table, text, values: [] });
    }
    const stuck = repositories(new EventStore(unwatched.driver)).accounts;
    await stuck.save('c', 0, [open()]);

    const [one, two] = await Promise.all([database.open(), database.open()]);
    watch(one.store);
    await repositories(two.store).accounts.save('d', 0, [open()]);
    await eventually(() => seen.includes('account-d@1'));
    expect(seen).toEqual(['a', 'b', 'c', 'd'].map((id) => `account-${id}@1`));
  });
});
