import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  ConflictError,
  EventStore,
  openDriver,
  SqlError,
  StoreUnavailableError,
  type SqlDriver,
} from '@app/event-store';
import { appendStatement, tooLate } from '@app/event-store/src/append/append';
import type { PendingWrite } from '@app/event-store/src/append/pending-write';
import { databaseOn, type TestDatabase } from '../support/database/databases';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { eventually, hash, open, repositories } from './accounts';

let server: TestPostgres;
let database: TestDatabase;

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  server = await startPostgres();
  database = await databaseOn(server);
});
afterAll(async () => {
  await database.stop();
  await server.stop();
});

describe('a database that fails under load', () => {
  it.each([
    ['connections are cut', 12],
    ['the server is restarted', 3],
    ['the server crashes', 3],
  ])(
    'loses nothing that was acknowledged and reports unknown outcomes as such: %s',
    async (what, times) => {
      const { store, driver } = await database.open();
      const { accounts } = repositories(store);
      const acknowledged: string[] = [];
      const refused: string[] = [];
      const delivered = new Set<string>();
      let unknown = 0;
      let outages = 0;
      let done = false;
      const subscription = store.subscribe(`watch ${what}`, (event) => {
        delivered.add(event.id);
        return Promise.resolve();
      });
      const callers = Array.from({ length: 16 }, async () => {
        while (!done) {
          const id = randomUUID();
          try {
            await store.transact(() =>
              accounts.save(id, 0, [open()], { consume: [{ kind: 'outage', hash: hash(id), bindsStream: true }] }),
            );
            acknowledged.push(id);
          } catch (error) {
            // No other error may occur: no conflict, no used value, since there is no other writer.
            if (!(error instanceof StoreUnavailableError)) throw error;
            if (error.outcomeUnknown) unknown++;
            else refused.push(id);
            await delay(5);
          }
        }
      });
      const failed = Promise.all(callers);
      try {
        for (let i = 0; i < times; i++) {
          await delay(200);
          const before = acknowledged.length;
          outages++;
          if (what === 'connections are cut') await cut(database);
          else if (server.restart === undefined)
            break; // a server that was given to the tests
          else await server.restart(what === 'the server crashes' ? 'QUIT' : 'INT');
          await eventually(() => acknowledged.length > before + 20, 60_000);
        }
      } finally {
        done = true;
      }
      await failed;

      const rows = await driver.query<{ id: string }>({
        name: 'ids',
        text: `select substr(stream_id, 9) as id from events where stream_id like 'account-%'`,
        values: [],
      });
      const stored = new Set(rows.map((row) => row.id));
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      expect(refused.filter((id) => stored.has(id))).toEqual([]);
      // Each caller waits for one outcome at a time.
      expect(unknown).toBeLessThanOrEqual(callers.length * outages);
      await eventually(() => acknowledged.every((id) => delivered.has(id)), 60_000);
      expect((await store.verify()).differing).toEqual([]);
      await subscription.stop();
    },
    240_000,
  );

  it('is reported as unavailable by the first statement, without a retry', async () => {
    const driver = await openDriver(database.options);
    await driver.close();
    const sent = jest.spyOn(driver, 'query');
    const away = new EventStore(driver);
    await expect(away.ping()).rejects.toThrow(StoreUnavailableError);
    await expect(repositories(away).accounts.save(randomUUID(), 0, [open()])).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      outcomeUnknown: false,
    });
    expect(sent).toHaveBeenCalledTimes(2);
  });
});

describe('a connection that is lost while a unit is being committed', () => {
  /**
   * Loses the connection at the first `losses` appends: `before` or `after` the server has carried them out, or the server does so
   * `later`, when they have been looked up in vain. The outcome of a statement without a waiting caller is seen in the database only.
   */
  async function unlucky(
    when: 'before' | 'after' | 'later',
    losses = 1,
  ): Promise<{ store: EventStore; appends: () => number }> {
    const { driver } = await database.open();
    let appends = 0;
    const late: (() => Promise<unknown>)[] = [];
    const faulty: SqlDriver = {
      kind: driver.kind,
      query: async <T>(statement: Parameters<SqlDriver['query']>[0]) => {
        if (!statement.name.startsWith('append') || ++appends > losses) {
          const rows = await driver.query<T>(statement);
          if (statement.name === 'committed-units') await Promise.all(late.splice(0).map((carryOut) => carryOut()));
          return rows;
        }
        const carryOut = (): Promise<unknown> => driver.query(statement).catch(() => undefined);
        if (when === 'after') await carryOut();
        if (when === 'later') late.push(carryOut);
        throw new StoreUnavailableError('lost', true);
      },
      transaction: (work) => driver.transaction(work),
      session: () => driver.session(),
      close: () => driver.close(),
    };
    return { store: new EventStore(faulty), appends: () => appends };
  }

  it.each([
    ['after the commit: nothing is tried again', 'after', 1],
    ['before the commit: it is tried again', 'before', 2],
    ['and the server commits after the unit was looked up: the second attempt finds itself done', 'later', 2],
  ] as const)('%s', async (_, when, attempts) => {
    const { store, appends } = await unlucky(when);
    const { accounts } = repositories(store);
    const id = randomUUID();
    const value = { kind: 'code', hash: hash(id) };
    expect(await accounts.save(id, 0, [open()], { consume: [value], dataKey: Buffer.from('k') })).toMatchObject({
      version: 1,
    });
    expect(appends()).toBe(attempts);
    expect(await accounts.events(id)).toHaveLength(1);
    await expect(store.consume(value)).rejects.toThrow('used before');
  });

  it.each(['before', 'after', 'later'] as const)(
    'together with others (%s): each has its own outcome',
    async (when) => {
      const { store } = await unlucky(when, 3);
      const { accounts } = repositories(store);
      const ids = Array.from({ length: 30 }, () => randomUUID());
      await database
        .open()
        .then(({ store: other }) => repositories(other).accounts.save(ids[20] ?? '', 0, [open('first')]));
      const results = await Promise.allSettled(ids.map(async (id) => accounts.save(id, 0, [open()])));
      expect(results.flatMap((result, index) => (result.status === 'rejected' ? [index] : []))).toEqual([20]);
      expect(results[20]).toMatchObject({ reason: expect.any(ConflictError) });
      for (const id of ids) expect(await accounts.events(id)).toHaveLength(1);
    },
  );

  it('together with others that all were committed: each caller learns so, and its value is used', async () => {
    const { store, appends } = await unlucky('after', 3);
    const { accounts } = repositories(store);
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const value = (id: string) => ({ kind: 'code', hash: hash(id) });
    await Promise.all(ids.map(async (id) => accounts.save(id, 0, [open()], { consume: [value(id)] })));
    expect(appends()).toBe(3);
    for (const id of ids) await expect(store.consume(value(id))).rejects.toThrow('used before');
  });

  it('is an unknown outcome for a value used up by itself', async () => {
    const { store } = await unlucky('after');
    await expect(store.consume({ kind: 'nonce', hash: hash(randomUUID()) })).rejects.toMatchObject({
      outcomeUnknown: true,
    });
  });
});

describe('an append that comes too late', () => {
  it('stores nothing: it was sent to a server that hung, and its caller has given up', async () => {
    const { driver, store } = await database.open();
    const { accounts } = repositories(store);
    const [late, intime] = [randomUUID(), randomUUID()];
    const write = (id: string): PendingWrite => ({
      unit: id,
      events: [{ streamId: `account-${id}`, version: 1, type: 'Opened', data: '{}', metadata: '{}' }],
      streams: [
        {
          streamId: `account-${id}`,
          category: 'account',
          parent: null,
          version: 1,
          state: '{}',
          head: undefined,
          foldVersion: 1,
          updatedAt: undefined,
        },
      ],
      consumed: [{ kind: 'late', hash: hash(id).toString('hex'), streamId: null, expiresAt: null, note: null }],
      dataKeys: [],
      erased: [],
      audit: [],
    });
    const now = new Date();
    const past = new Date(now.getTime() - 1_000);
    await expect(
      driver.query(appendStatement([write(late)], { now: now.toISOString(), until: past })),
    ).rejects.toMatchObject({
      code: tooLate,
    });
    const minuteAgo = new Date(now.getTime() - 60_000).toISOString();
    await expect(driver.query(appendStatement([write(late)], { now: minuteAgo }))).rejects.toMatchObject({
      code: tooLate,
    });
    expect(await accounts.load(late)).toMatchObject({ version: 0 });
    await store.consume({ kind: 'late', hash: hash(late) });
    await driver.query(
      appendStatement([write(intime)], { now: now.toISOString(), until: new Date(now.getTime() + 60_000) }),
    );
    expect(await accounts.load(intime)).toMatchObject({ version: 1 });
  });
});

it('reports a full disk as unavailable, stores nothing, and works again when there is space', async () => {
  const { driver, store } = await database.open();
  const { accounts } = repositories(store);
  const id = randomUUID();
  await driver.transaction((tx) =>
    tx.script(`
      create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on streams for each row execute function full_disk()`),
  );
  await expect(accounts.save(id, 0, [open()])).rejects.toMatchObject({ outcomeUnknown: false, answered: true });
  await driver.transaction((tx) => tx.script('drop trigger full_disk on streams; drop function full_disk'));
  expect(await accounts.load(id)).toMatchObject({ version: 0 });
  expect(await accounts.save(id, 0, [open()])).toMatchObject({ version: 1 });
});

it('passes on other errors of the database', async () => {
  const { driver } = await database.open();
  await expect(driver.query({ name: 'wrong', text: 'select 1/0', values: [] })).rejects.toThrow(SqlError);
});

async function cut(target: TestDatabase): Promise<void> {
  const { driver, store } = await target.open();
  await driver.query({
    name: 'cut-all',
    text: `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    values: [],
  });
  await store.close();
}
