import type { Settings } from '@app/config';
import {
  defaultPoolSize,
  missingRights,
  quoted,
  readDurability,
  rightsOverHistory,
  schemaVersions,
  SqlError,
  type SqlDriver,
  tryWrite,
  type WriteFault,
} from '@app/event-store';
import { sentenceOf } from '../failure';
import { attempt, fail, type Finding, ok, warn } from './finding';

const oldestSupported = 14;
const oldestWorking = 13;

/** What the database is, whether it keeps what it acknowledged, and whether it fits this release. Throws when it is away. */
export async function* checkDatabase(driver: SqlDriver, profile: Settings['profile']): AsyncGenerator<Finding> {
  yield await version(driver);
  yield await writes(driver);
  yield await attempt('migrations', 'Run the release that fits the database.', () => migrations(driver));
  // An embedded database lives in this process: it has the same clock and no other client connects.
  if (driver.kind === 'embedded') return;
  if (await mayHaveTables(driver)) {
    yield await attempt('rights', 'Let this role read the catalogue of the server.', () =>
      checkRights(driver, profile),
    );
  }
  yield await attempt('durability', 'Let this role read the settings of the server.', () => durability(driver));
  yield await attempt('clock', 'Let this role query the database.', () => clock(driver));
  yield await attempt('connections', 'Let this role read pg_stat_database.', () => connections(driver));
}

async function version(driver: SqlDriver): Promise<Finding> {
  const [row] = await driver.query<{ version: string; major: number }>({
    name: 'doctor-version',
    text: `select current_setting('server_version') as version,
      current_setting('server_version_num')::integer / 10000 as major`,
    values: [],
  });
  return judgeVersion(driver.kind, row?.version ?? '', row?.major ?? 0);
}

/** @param major of the server's version */
export function judgeVersion(kind: SqlDriver['kind'], version: string, major: number): Finding {
  const found = `${kind === 'embedded' ? 'embedded ' : ''}PostgreSQL ${version}`;
  if (major < oldestWorking) return fail('database', found, `Use PostgreSQL ${oldestSupported} or newer.`);
  if (major < oldestSupported) {
    return warn('database', `${found}, which is end-of-life`, `Use PostgreSQL ${oldestSupported} or newer.`);
  }
  return ok('database', found);
}

const unwritten: Readonly<Record<WriteFault, readonly [found: string, remedy: string]>> = {
  standby: [
    'this server is a standby: nothing can be written',
    'Name all hosts in SERVICE__EVENT_STORE__CONNECTION_STRING with target_session_attrs=read-write, or the primary; or promote this one.',
  ],
  'read-only': [
    'default_transaction_read_only is on: nothing can be written',
    'Turn it off where it is set: for this role, this database, the server (alter ... reset) or in the connection string.',
  ],
  'disk-full': [
    'the disk of the server is full: nothing can be written',
    'Free space on it or enlarge it, never by deleting files of PostgreSQL; the service goes on by itself.',
  ],
  refused: ['nothing can be written', 'Read the log of the database server.'],
  untried: ['not tried', 'Let this role execute the function.'],
};

/** Tries what the service does all the time; what answers reads may refuse that. */
async function writes(driver: SqlDriver): Promise<Finding> {
  const result = await tryWrite(driver);
  if (result === undefined) return ok('writes', 'the database takes them');
  const [what, remedy] = unwritten[result.fault];
  const found = result.error === undefined ? what : `${what}: ${sentenceOf(result.error)}`;
  return result.fault === 'untried' ? warn('writes', found, remedy) : fail('writes', found, remedy);
}

async function migrations(driver: SqlDriver): Promise<Finding> {
  const { applied, shipped } = await schemaVersions(driver);
  if (applied === shipped) return ok('migrations', `version ${applied}, as this release requires`);
  const remedy = 'Run "sealwright migrate", or start the service as the owner of the tables.';
  return fail('migrations', `version ${applied}; this release requires ${shipped}`, remedy);
}

/** Missing tables grant no rights; the check of the migrations reports them. */
async function mayHaveTables(driver: SqlDriver): Promise<boolean> {
  try {
    const { applied, shipped } = await schemaVersions(driver);
    return applied === shipped;
  } catch (error) {
    // 42501: insufficient privilege
    return error instanceof SqlError && error.code === '42501';
  }
}

/** Of the role of the connection. */
export async function checkRights(driver: SqlDriver, profile: Settings['profile']): Promise<Finding> {
  const [row] = await driver.query<{ role: string }>({
    name: 'doctor-role',
    text: 'select current_user::text as role',
    values: [],
  });
  return judgeRights(row?.role ?? '', await missingRights(driver), await rightsOverHistory(driver), profile);
}

/** @param missing of what the service does @param overHistory on rows that are only ever added */
export function judgeRights(
  role: string,
  missing: readonly string[],
  overHistory: readonly string[],
  profile: Settings['profile'],
): Finding {
  if (missing.length > 0) {
    const remedy = `As the owner of the tables: sealwright grants --role '${role}' --apply`;
    return fail('rights', `the role ${quoted(role)} lacks ${missing.join(', ')}`, remedy);
  }
  const found = `the role ${quoted(role)} can do what the service does`;
  if (overHistory.length === 0) return ok('rights', `${found} and cannot change history`);
  const changes = `${found}, and can also change history: ${overHistory.join(', ')}`;
  if (profile === 'development') return ok('rights', changes);
  return warn('rights', changes, 'Run the service as a separate role; see "sealwright grants --help".');
}

async function durability(driver: SqlDriver): Promise<Finding> {
  const rows = await readDurability(driver);
  const found = rows.map(({ name, setting }) => `${name}=${setting}`).join(', ');
  const off = rows.filter(({ setting }) => setting === 'off').map(({ name }) => name);
  if (off.length === 0) return ok('durability', found);
  const remedy = `Turn ${off.join(' and ')} on: a power failure may lose acknowledged writes.`;
  return fail('durability', found, remedy);
}

async function clock(driver: SqlDriver): Promise<Finding> {
  const before = Date.now();
  const [row] = await driver.query<{ now: Date }>({
    name: 'doctor-clock',
    text: 'select clock_timestamp() as now',
    values: [],
  });
  const after = Date.now();
  return judgeClock((row?.now.getTime() ?? 0) - (before + after) / 2);
}

/** @param ahead milliseconds by which the clock of the database is ahead of this machine's */
export function judgeClock(ahead: number): Finding {
  const seconds = Math.abs(ahead) / 1000;
  const found = `the database is ${seconds.toFixed(1)} s ${ahead < 0 ? 'behind' : 'ahead of'} this machine`;
  const remedy = 'Synchronise both clocks with NTP: wallets and verifiers compare times with their own clocks.';
  if (seconds > 30) return fail('clock', found, remedy);
  return seconds > 2 ? warn('clock', found, remedy) : ok('clock', found);
}

async function connections(driver: SqlDriver): Promise<Finding> {
  const [row] = await driver.query<{ free: number; all: number }>({
    name: 'doctor-connections',
    text: `select available - used as free, available as "all" from
      (select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
         - coalesce(current_setting('reserved_connections', true)::integer, 0) as available) as a,
      (select coalesce(sum(numbackends), 0)::integer as used from pg_stat_database) as u`,
    values: [],
  });
  return judgeConnections(row?.free ?? 0, row?.all ?? 0);
}

/** @param all connections there may be, without those that are kept for administrators */
export function judgeConnections(free: number, all: number): Finding {
  const found = `${Math.max(0, free)} of ${all} free; each replica takes up to ${defaultPoolSize}`;
  if (free >= defaultPoolSize) return ok('connections', found);
  return warn('connections', found, 'Raise max_connections, or run fewer replicas or other clients on this server.');
}
