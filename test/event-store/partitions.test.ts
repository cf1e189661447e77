import { Logger } from '@nestjs/common';
import {
  AlreadyConsumedError,
  CheckpointTaker,
  EventStore,
  missingRights,
  openDriver,
  partitionsOf,
  partitionTables,
  rightsOverHistory,
  type SqlDriver,
} from '@app/event-store';
import { databaseOn, type TestDatabase } from '../support/database/databases';
import { createDatabase, installationWithJit, sharedPostgres, startPostgres } from '../support/database/postgres';
import { untilReadable } from '../support/database/readable-events';
import { asOwner, asServiceRole } from '../support/database/service-role';
import { hash, open, payIn, repositories } from './accounts';
import { checkpointKeys as keys, provers } from './provers';

let asked = 0;
const query = <T>(driver: SqlDriver, text: string): Promise<T[]> =>
  driver.query<T>({ name: `partitions test ${++asked}`, text, values: [] });

describe('a store with data whose tables are partitioned', () => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let store: EventStore;
  let before: unknown;
  let namesBefore: unknown;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await databaseOn(sharedPostgres());
    ({ driver } = await database.open());
    store = new EventStore(driver, undefined, provers);
    const { accounts, notes } = repositories(store);
    for (let i = 0; i < 40; i++) {
      const consume = [{ kind: 'handle', hash: hash(`${i}`), bindsStream: true }];
      await accounts.save(`${i}`, 0, [open(), payIn(i)], { consume, dataKey: Buffer.from(`key ${i}`) });
    }
    await notes.save('n', 0, [{ type: 'Written', text: 'hello' }]);
    await untilReadable(driver);
    await new CheckpointTaker(driver, keys).take();
    before = await contents();
    namesBefore = await indexes();
    expect(await partitionTables(driver, 4)).toEqual({ isUnchanged: false, rows: 81 + 41 + 40 + 40 });
  });
  afterAll(async () => {
    Logger.overrideLogger(['log']);
    await database.stop();
  });

  async function indexes(): Promise<unknown> {
    const text = `select indexname::text as name from pg_indexes
      where tablename in ('events', 'streams', 'data_keys', 'consumed') order by indexname`;
    return (await query<{ name: string }>(driver, text)).map(({ name }) => name);
  }

  /** Every row of every table, in the order of its text. */
  async function contents(): Promise<unknown> {
    const tables = ['events', 'streams', 'data_keys', 'consumed'];
    return Promise.all(
      tables.map((table) => query(driver, `select t::text as row from ${table} t order by t::text collate "C"`)),
    );
  }

  it('holds what it held, and each partition has a part of it', async () => {
    expect(await contents()).toEqual(before);
    expect(await partitionsOf(driver, 'events')).toEqual(['events_p0', 'events_p1', 'events_p2', 'events_p3']);
    expect(await partitionsOf(driver)).toHaveLength(16);
    const counts = await query<{ count: number }>(
      driver,
      'select count(*)::integer as count from events group by tableoid',
    );
    expect(counts).toHaveLength(4);
  });

  it('has every index it had, by its name', async () => {
    expect(await indexes()).toEqual(namesBefore);
    expect(namesBefore).toContain('streams_by_template_and_status');
  });

  it('still proves itself, and its checkpoints cover it', async () => {
    const verified = await store.verify({ keys });
    expect(verified).toMatchObject({ findings: 0, events: 81, checkpoints: { checkpoints: 1, uncovered: 0 } });
  });

  it('goes on: positions follow, streams continue, and used values stay used', async () => {
    const newest = await query<{ last: number }>(driver, 'select max(position)::float8 as last from events');
    const { accounts } = repositories(new EventStore(driver, undefined, provers));
    await accounts.save('7', 2, [payIn(1)]);
    const added = await query<{ position: number }>(
      driver,
      `select position::float8 from events where stream_id = 'account-7' and version = 3`,
    );
    expect(added[0]?.position).toBeGreaterThan(newest[0]?.last ?? Infinity);
    await expect(store.consume({ kind: 'handle', hash: hash('7') })).rejects.toMatchObject({
      name: 'AlreadyConsumedError',
      kind: 'handle',
    });
    expect((await accounts.load('7')).state).toMatchObject({ balance: 8 });
  });

  it('forgets used values that have expired and no others, in whatever partition they are', async () => {
    const values = Array.from({ length: 60 }, (_, index) => ({
      kind: 'many',
      hash: hash(`many ${index}`),
      expiresAt: new Date(Date.now() + (index % 3 === 0 ? -3 : 3) * 3_600_000),
    }));
    await store.consume(...values);
    expect(await store.removeExpired()).toBe(20);
    const results = await Promise.allSettled(values.map(async (each) => store.consume(each)));
    for (const [index, { status }] of results.entries()) expect(status === 'fulfilled').toBe(index % 3 === 0);
  });

  it('is left alone when it is asked for as many partitions again, and refuses another number', async () => {
    expect(await partitionTables(driver, 4)).toEqual({ isUnchanged: true, rows: 0 });
    await expect(partitionTables(driver, 8)).rejects.toThrow('have 4 partitions already');
  });

  it.each([1, 0, 2.5, Number.NaN, 257])('cannot have %p partitions', async (count) => {
    await expect(partitionTables(driver, count)).rejects.toThrow('Choose from 2 to 256 partitions');
  });

  it('reads a few rows of each partition for the next events of a subscription', async () => {
    const plan = await query<{ 'QUERY PLAN': string }>(
      driver,
      `explain select tx::text, position::text from events
       where (tx, position) > ('0'::xid8, 0) and tx < pg_snapshot_xmin(pg_current_snapshot())
       order by events.tx, events.position limit 200`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toContain('Merge Append');
    expect(text).not.toMatch(/Seq Scan|Sort {2}\(/);
  });
});

describe('a service role in a partitioned store', () => {
  it('works with the rights of grants, sees which value was used before, and changes no history', async () => {
    const url = await sharedPostgres().createDatabase();
    const owner = await openDriver({ type: 'postgres', connectionString: url, poolSize: 2 });
    await partitionTables(owner, 3);
    const connectionString = await asServiceRole(url);
    const role = new URL(connectionString).username;
    expect(await missingRights(owner, role)).toEqual([]);
    const service = await openDriver({ type: 'postgres', connectionString, poolSize: 2 });
    const store = new EventStore(service);
    const { accounts } = repositories(store);
    await accounts.save('a', 0, [open()], {
      consume: [{ kind: 'idempotency-key', hash: hash('a') }],
      dataKey: Buffer.from('k'),
    });
    await expect(store.consume({ kind: 'idempotency-key', hash: hash('a') })).rejects.toMatchObject({
      name: AlreadyConsumedError.name,
      kind: 'idempotency-key',
    });
    await expect(accounts.save('a', 0, [open()])).rejects.toThrow('changed by another process');
    expect(await rightsOverHistory(service)).toEqual([]);
    await expect(query(service, 'delete from data_keys')).rejects.toMatchObject({ code: '42501' });
    for (const partition of await partitionsOf(owner, 'events')) {
      await expect(query(service, `delete from ${partition}`)).rejects.toThrow('permission denied');
    }
    await asOwner(url, `revoke select on consumed_p1 from ${role}`);
    expect(await missingRights(owner, role)).toEqual(['select on consumed_p1']);
    await store.close();
    await owner.close();
  });
});

const debian = installationWithJit();
(debian === undefined ? describe.skip : describe)('a server without identity columns in partitioned tables', () => {
  it('is told which version it takes, and nothing is changed', async () => {
    const server = await startPostgres({ installation: debian });
    try {
      const driver = await openDriver({
        type: 'postgres',
        connectionString: await createDatabase(server.url),
        poolSize: 2,
      });
      const [row] = await query<{ version: number }>(
        driver,
        `select current_setting('server_version_num')::integer as version`,
      );
      const divided = partitionTables(driver, 4);
      if ((row?.version ?? 0) < 170_000)
        await expect(divided).rejects.toThrow(/^Partitions need PostgreSQL 17 or later/);
      else expect(await divided).toMatchObject({ isUnchanged: false });
      await driver.close();
    } finally {
      await server.stop();
    }
  });
});
