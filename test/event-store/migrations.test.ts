import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStore, roleRights, missingRights, openDriver, rightsOverHistory } from '@app/event-store';
import { migrate } from '../../libs/event-store/src/database/migrate';
import { migrateErasureKeys } from '../../libs/event-store/src/erasure-keys/open-erasure-keys';
import { PostgresDriver } from '../../libs/event-store/src/database/postgres.driver';
import { sharedPostgres } from '../support/database/postgres';
import { asServiceRole } from '../support/database/service-role';
import { open, payIn, repositories } from './accounts';

const shipped = join(__dirname, '../../libs/event-store/src/migrations');
const known = readdirSync(shipped).length;
const next = String(known + 1).padStart(4, '0');

describe('migrations', () => {
  const server = sharedPostgres();
  let directory: string;
  let url: string;
  let driver: PostgresDriver;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'migrations-'));
    cpSync(shipped, directory, { recursive: true });
    url = await server.createDatabase();
    driver = new PostgresDriver(url);
  });
  afterEach(async () => {
    await driver.close();
    rmSync(directory, { recursive: true });
  });

  const versions = (): Promise<unknown> =>
    driver.query({ name: 'versions', text: 'select number, name from schema_migrations order by number', values: [] });

  it('are applied once, in order, however often and by however many processes', async () => {
    const others = Array.from({ length: 4 }, () => new PostgresDriver(url));
    await Promise.all([driver, ...others].map((each) => migrate(each, directory)));
    await migrate(driver, directory);
    const files = readdirSync(shipped).sort();
    expect(await versions()).toEqual(files.map((name, index) => ({ number: index + 1, name })));
    await Promise.all(others.map((each) => each.close()));
  });

  it('are all or nothing', async () => {
    writeFileSync(join(directory, `${next}_broken.sql`), 'create table fine (a int); create table broken (');
    await expect(migrate(driver, directory)).rejects.toThrow('syntax error');
    expect(
      await driver.query({
        name: 'tables',
        text: `select from pg_class where relname in ('events', 'fine')`,
        values: [],
      }),
    ).toEqual([]);
  });

  it('stop the start against a newer schema', async () => {
    writeFileSync(join(directory, `${next}_future.sql`), 'create table future (a int);');
    await migrate(driver, directory);
    await expect(openDriver({ type: 'postgres', connectionString: url })).rejects.toThrow(
      `The database has schema version ${known + 1} (${next}_future.sql), newer than the ${known} this release knows: ` +
        'start the newer release, or restore the backup from before its upgrade.',
    );
  });

  it('stop the start when one was edited after it was applied', async () => {
    await migrate(driver, directory);
    appendFileSync(join(directory, '0001_schema.sql'), '\n-- harmless');
    await expect(migrate(driver, directory)).rejects.toThrow(
      '0001_schema.sql differs from the one this database was built with',
    );
  });

  it.each([
    ['a store', '0001_event_store.sql', '0027_proofs_of_status_changes.sql', migrate],
    ['erasure keys', '0001_erasure_keys.sql', '0001_erasure_keys.sql', migrateErasureKeys],
  ])('stop the start with %s of a release before 0.2.0, and change nothing', async (_what, first, last, start) => {
    const table = 'create table schema_migrations (number integer, name text, checksum text)';
    await driver.query({ name: '', text: table, values: [] });
    const names = first === last ? [first] : [first, last];
    for (const [index, name] of names.entries()) {
      const text = `insert into schema_migrations (number, name, checksum) values ($1, $2, 'x')`;
      await driver.query({ name: '', text, values: [index + 1, name] });
    }
    await expect(start(driver)).rejects.toThrow(
      `The database was made by a release before 0.2.0 (schema version ${names.length}, ${last}), and later ones ` +
        'do not open it: run that release with it, and give this one an empty database.',
    );
    expect(await versions()).toHaveLength(names.length);
  });

  it('are the same with Windows line endings', async () => {
    await migrate(driver, directory);
    const path = join(directory, '0001_schema.sql');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    await migrate(driver, directory);
  });

  it('let a role with the documented rights do everything but change history', async () => {
    const app = await openDriver({ type: 'postgres', connectionString: await asServiceRole(url) });
    expect(await missingRights(app)).toEqual([]);
    expect(await rightsOverHistory(app)).toEqual([]);
    const store = new EventStore(app);
    const { accounts } = repositories(store);
    let seen = 0;
    const subscription = store.subscribe('restricted', () => {
      seen++;
      return Promise.resolve();
    });
    await accounts.save('a', 0, [open()], {
      dataKey: Buffer.from('k'),
      consume: [{ kind: 'k', hash: Buffer.from('v') }],
    });
    await accounts.save('b', 0, [open()], { dataKey: Buffer.from('k') });
    // By an event that says so, and by nothing else.
    await store.transact(async () => {
      await accounts.save('a', 1, [payIn(1)]);
      await store.destroyDataKey('account', 'a');
    });
    expect(await store.dataKeyOf('account-a')).toBeUndefined();
    await expect(store.destroyDataKey('account', 'b')).rejects.toThrow('is needed');
    await store.removeExpired();
    await store.removeOldAudit(365);
    expect((await store.rebuild()).differing).toEqual([]);
    while (seen === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await subscription.stop();
    for (const change of [
      'update events set type = type',
      'delete from events',
      'truncate events',
      'drop table events',
      'update audit set outcome = outcome',
      'delete from audit',
      'delete from data_keys',
      'truncate data_keys',
      'update status_changes set status = 0',
      'delete from status_changes',
      'delete from status_list_versions',
    ]) {
      await expect(app.query({ name: change, text: change, values: [] })).rejects.toMatchObject({ code: '42501' });
    }
    await store.close();
  });

  it('make no table and no function that the rights of the service leave out', async () => {
    await migrate(driver, directory);
    const made = await driver.query<{ name: string }>({
      name: 'everything-made',
      text: `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
        union all select oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace
          and prorettype <> 'trigger'::regtype`,
      values: [],
    });
    const granted = roleRights.map((grant) => ('table' in grant ? grant.table : grant.function));
    expect(granted.toSorted()).toEqual(made.map(({ name }) => name).toSorted());
  });

  it('are documented with these rights', () => {
    const text = readFileSync(join(__dirname, '../../docs/operating.md'), 'utf8');
    const rows = [
      ...text.matchAll(/^\| `([a-z_()[\]]+)` +\| ((?:(?:select|insert|update|delete|execute)(?:, )?)+) +\|$/gm),
    ];
    const documented = rows.map(([, name = '', rights = '']) => [name, rights]);
    const granted = roleRights.map((grant) => [
      'table' in grant ? grant.table : grant.function,
      grant.rights.join(', '),
    ]);
    expect(documented).toEqual(granted);
  });
});
