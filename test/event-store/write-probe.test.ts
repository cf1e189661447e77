import { connectDriver, type SqlDriver, StoreUnavailableError, tryWrite } from '@app/event-store';
import { databaseKinds, startDatabase } from '../support/database/databases';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { asOwner, asServiceRole } from '../support/database/service-role';

describe.each(databaseKinds)('a write that is tried (%s)', (kind) => {
  it('succeeds where the service can write', async () => {
    const database = await startDatabase(kind);
    const { driver } = await database.open();
    expect(await tryWrite(driver)).toBeUndefined();
    expect(await tryWrite(driver)).toBeUndefined();
    await database.stop();
  });
});

describe('a write that is tried by the role of the service', () => {
  let postgres: TestPostgres;
  let owner: string;
  let service: string;
  let driver: SqlDriver;

  beforeAll(async () => {
    postgres = await startPostgres();
    owner = await postgres.createDatabase();
    service = await asServiceRole(owner);
    driver = await connectDriver({ type: 'postgres', connectionString: service, poolSize: 1 });
  });
  afterAll(async () => {
    await driver.close();
    await postgres.stop();
  });

  async function flushed(): Promise<{ lsn: string; spilled: number }> {
    const [row] = await driver.query<{ lsn: string; spilled: number }>({
      name: 'flushed',
      text: `select (pg_current_wal_flush_lsn() - '0/0')::text as lsn,
        (select temp_bytes::float8 from pg_stat_database where datname = current_database()) as spilled`,
      values: [],
    });
    return row ?? { lsn: '0', spilled: 0 };
  }

  it('reaches the log on disk and takes space for a moment', async () => {
    const before = await flushed();
    expect(await tryWrite(driver)).toBeUndefined();
    expect(Number((await flushed()).lsn)).toBeGreaterThan(Number(before.lsn));
    // Statistics come when a connection ends or is idle for a while.
    await driver.query({ name: 'flush-statistics', text: 'select pg_stat_force_next_flush()', values: [] });
    expect((await flushed()).spilled - before.spilled).toBeGreaterThan(500_000);
  });

  it('leaves the settings of the connection alone', async () => {
    await tryWrite(driver);
    const [row] = await driver.query<{ memory: string }>({
      name: 'memory',
      text: `select current_setting('work_mem') as memory`,
      values: [],
    });
    expect(row?.memory).toBe('4MB');
  });

  it.each([
    ['where temporary files are forbidden', 'set temp_file_limit = 0', undefined],
    ['in a database that is read only', 'set default_transaction_read_only = on', { fault: 'read-only' }],
  ])('%s', async (_, setting, expected) => {
    await asOwner(owner, `alter database ${nameOf(owner)} ${setting}`);
    const fresh = await connectDriver({ type: 'postgres', connectionString: service, poolSize: 1 });
    expect(await tryWrite(fresh)).toEqual(expected);
    await fresh.close();
    await asOwner(postgres.url, `alter database ${nameOf(owner)} reset all`);
  });

  it('proves nothing where the right to try it was taken', async () => {
    await asOwner(
      owner,
      `do $$ declare f regprocedure; begin for f in select oid from pg_proc where proname = 'pg_logical_emit_message'
        loop execute format('revoke execute on function %s from public', f); end loop; end $$`,
    );
    expect(await tryWrite(driver)).toMatchObject({ fault: 'untried' });
  });
});

/** What PostgreSQL answers on a disk that is full; test/faults/full-disk.fault.ts has one. */
it('names a disk that is full', async () => {
  const answer = Object.assign(new Error('could not extend file'), { code: '53100' });
  const error = new StoreUnavailableError(answer.message, false, { cause: answer, answered: true });
  expect(await tryWrite({ query: () => Promise.reject(error) })).toEqual({ fault: 'disk-full', error });
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
