import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@app/event-store/src/embedded/empty-database';
import { connectDriver, type SqlDriver, StoreUnavailableError } from '@app/event-store';

describe('the embedded database', () => {
  let directory: string;
  let driver: SqlDriver;

  const open = (): Promise<SqlDriver> => connectDriver({ type: 'embedded', directory });
  const value = async <T>(name: string, text: string, ...values: unknown[]): Promise<T | undefined> => {
    const [row] = await driver.query<{ value: T }>({ name, text, values });
    return row?.value;
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-test-'));
    driver = await open();
  });

  afterAll(async () => {
    await driver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('prepares a statement once, however often it is sent', async () => {
    for (const number of [1, 2, 3]) {
      await value('repeated', 'select $1::int as value', number);
    }
    const plans = `select generic_plans + custom_plans as value from pg_prepared_statements where name = 'repeated'`;
    expect(await value('plans', `select (${plans})::int as value`)).toBe(3);
  });

  it('reads by index, as a server does, and takes memory for one connection', async () => {
    const setting = 'select current_setting($1) as value';
    expect(await value('setting', setting, 'enable_seqscan')).toBe('off');
    expect(parseInt((await value<string>('setting', setting, 'shared_buffers')) ?? '')).toBeLessThan(32);
    expect(await value('setting', setting, 'wal_segment_size')).toBe('1MB');
  });

  it('keeps other statements out of a transaction', async () => {
    await driver.transaction((tx) => tx.script('create table notes (text text primary key)'));
    const count = () => value<number>('count', 'select count(*)::int as value from notes');
    let outside: Promise<number | undefined> | undefined;
    await driver.transaction(async (tx) => {
      await tx.script(`insert into notes values ('first')`);
      outside = count();
      await tx.script(`insert into notes values ('second')`);
    });
    expect(await outside).toBe(2);
    const failing = driver.transaction(async (tx) => {
      await tx.script(`insert into notes values ('third')`);
      outside = count();
      await tx.script(`insert into notes values ('first')`);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'notes_pkey' });
    expect(await outside).toBe(2);
  });

  it('refuses statements once it is closed, and has everything when it is opened again', async () => {
    await driver.transaction((tx) => tx.script('create table kept as select 7 as value'));
    const before = driver;
    await driver.close();
    await expect(before.query({ name: 'one', text: 'select 1', values: [] })).rejects.toThrow(StoreUnavailableError);
    driver = await open();
    expect(await value('kept', 'select value from kept')).toBe(7);
  });
});

describe('an embedded database that cannot be created', () => {
  it.each([
    ['says why', 'echo no space left on device >&2; exit 1', 'could not be created: no space left on device'],
    ['says what it needs when it was killed', 'kill -9 $$', 'was ended by SIGKILL; it needs 600 MB of memory.'],
  ])('%s and leaves nothing behind', async (_what, script, reason) => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-test-'));
    const program = join(folder, 'program');
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const replaced = jest.replaceProperty(process, 'execPath', program);
    // A library beside which the build has left no database.
    const library = join(folder, 'pglite/dist/index.cjs');
    await expect(createDatabase(join(folder, 'database'), library)).rejects.toThrow(reason);
    replaced.restore();
    expect(readdirSync(folder)).toEqual(['program']);
    rmSync(folder, { recursive: true });
  });
});

describe('a new embedded database', () => {
  it('is a copy of the one that the build has left, which takes no 600 MB', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-test-'));
    mkdirSync(join(folder, 'pglite/.sealwright/empty-database'), { recursive: true });
    writeFileSync(join(folder, 'pglite/.sealwright/empty-database/PG_VERSION'), '18');
    const replaced = jest.replaceProperty(process, 'execPath', '/bin/false');
    await createDatabase(join(folder, 'database'), join(folder, 'pglite/dist/index.cjs'));
    replaced.restore();
    expect(readdirSync(join(folder, 'database'))).toEqual(['PG_VERSION']);
    rmSync(folder, { recursive: true });
  });
});
