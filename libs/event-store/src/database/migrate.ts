import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SqlDriver, SqlExecutor, Statement } from './sql-driver';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** The build copies the .sql files next to the compiled code. */
const shipped = join(__dirname, '../migrations');

/** One number for every process of this product in a database; it stands for "migrating". */
const migrationLock = '7305771284160941';

/**
 * Brings the tables up to date, all or nothing. Safe to call from several processes at once; a role without the right to create tables
 * may call it when nothing is left to do. Throws one clear sentence when the database is newer than this release, of one
 * before 0.2.0, or a migration was edited.
 * @returns the versions of the tables before and after, the number of migrations each time
 */
export async function migrate(driver: SqlDriver, directory = shipped): Promise<{ from: number; to: number }> {
  const known = await readMigrations(directory);
  const to = known.length;
  if (pending(known, await applied(driver)).length === 0) return { from: to, to };
  return driver.transaction(async (tx) => {
    // Tables may be large and another process may hold the lock for as long as its migrations take.
    await tx.script('set local statement_timeout = 0; set local lock_timeout = 0');
    await tx.query({ name: 'migration-lock', text: `select pg_advisory_xact_lock(${migrationLock})`, values: [] });
    await tx.script(
      `create table if not exists schema_migrations
         (number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const todo = pending(known, await applied(tx));
    for (const migration of todo) {
      await tx.script(migration.text);
      await tx.query({
        name: 'migration-applied',
        text: 'insert into schema_migrations (number, name, checksum) values ($1, $2, $3)',
        values: [migration.number, migration.name, migration.checksum],
      });
    }
    return { from: to - todo.length, to };
  });
}

let shippedMigrations: Promise<readonly Migration[]> | undefined;

/** How many migrations the database has had and how many there are. Throws as `migrate` does; changes nothing. */
export async function schemaVersions(
  executor: SqlExecutor,
  directory = shipped,
): Promise<{ applied: number; shipped: number }> {
  const known = await readMigrations(directory);
  return { applied: known.length - pending(known, await applied(executor)).length, shipped: known.length };
}

/**
 * Whether every migration of this release is in the database unchanged. Later ones may have been added since the
 * start: in a rolling upgrade the replicas of the older release work on until they are replaced.
 */
export async function hasShippedSchema(executor: SqlExecutor): Promise<boolean> {
  shippedMigrations ??= readMigrations(shipped);
  const [known, done] = await Promise.all([shippedMigrations, executor.query<Applied>(appliedMigrations)]);
  const checksums = new Map(done.map(({ number, checksum }) => [number, checksum]));
  return known.every(({ number, checksum }) => checksums.get(number) === checksum);
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const text = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n');
      const number = Number(file.slice(0, 4));
      if (number !== index + 1) throw new Error(`Migration ${file} is out of sequence: expected number ${index + 1}.`);
      return { number, name: file, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

type Applied = Pick<Migration, 'number' | 'name' | 'checksum'>;

const appliedMigrations: Statement = {
  name: 'migrations-applied',
  text: 'select number, name, checksum from schema_migrations order by number',
  values: [],
};

async function applied(executor: SqlExecutor): Promise<Applied[]> {
  const [table] = await executor.query<{ exists: boolean }>({
    name: 'migrations-table',
    text: `select to_regclass('schema_migrations') is not null as exists`,
    values: [],
  });
  if (table?.exists !== true) return [];
  return executor.query<Applied>(appliedMigrations);
}

/** The first migration of releases before 0.2.0. Later ones open no store of theirs. */
const beforePromise = ['0001_event_store.sql', '0001_erasure_keys.sql'];

function pending(known: readonly Migration[], done: readonly Applied[]): readonly Migration[] {
  if (beforePromise.includes(done[0]?.name ?? '')) {
    throw new Error(
      `The database was made by a release before 0.2.0 (schema version ${done.length}, ${done.at(-1)?.name ?? ''}), and later ones ` +
        'do not open it: run that release with it, and give this one an empty database.',
    );
  }
  for (const row of done) {
    const migration = known[row.number - 1];
    if (migration === undefined) {
      throw new Error(
        `The database has schema version ${done.length} (${row.name}), newer than the ${known.length} this release knows: ` +
          'start the newer release, or restore the backup from before its upgrade.',
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new Error(
        `Migration ${migration.name} differs from the one this database was built with (${row.name}): ` +
          'restore the original file and put the change into a new migration.',
      );
    }
  }
  return known.slice(done.length);
}
