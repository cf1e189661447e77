import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Owner } from './postgres-binaries';

// Reads commands. When its input ends, because `stop` was called or because the process of the tests is gone, the server goes too.
const keeper = `
trap '' INT HUP
directory=$1; shift
while read -r command; do
  case $command in
    start) "$@" >>"$directory/server.log" 2>&1 & server=$! ;;
    *) kill -"$command" "$server" 2>/dev/null; wait "$server" 2>/dev/null; echo stopped ;;
  esac
done
kill -QUIT "$server" 2>/dev/null; wait "$server"
rm -rf "$directory" 2>/dev/null
echo ended`;

/** One process of PostgreSQL, with its data below a directory that goes when it stops. */
export interface PostgresServer {
  /** Superuser, maintenance database. */
  readonly url: string;
  readonly data: string;
  /** Returns when it takes connections. */
  start(): Promise<void>;
  /** Sends the signal to the main process, `KILL` to all of its processes, and returns once it has ended. */
  end(signal: 'INT' | 'QUIT' | 'KILL'): Promise<void>;
  /** Suspends all of its processes, or resumes them. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

export interface ServerPlace {
  /** Folder above `bin`. */
  readonly native: string;
  readonly directory: string;
  readonly owner: Owner;
  readonly password: string;
}

/** Makes an empty cluster. */
export function initialize({ native, directory, owner, password }: ServerPlace): void {
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  own(directory, owner);
  const cluster = ['-D', dataOf(directory), '-U', 'postgres', '--auth=password', `--pwfile=${passwordFile}`];
  const quick = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(native, 'bin', 'initdb'), [...cluster, ...quick], { ...owner, cwd: tmpdir(), stdio: 'pipe' });
}

/** Gives a directory to the user that runs the server. */
export function own(directory: string, { uid, gid }: Owner): void {
  if (uid !== undefined && gid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, directory]);
}

export function dataOf(directory: string): string {
  return join(directory, 'data');
}

/** A server on a free port of the loopback interface, not yet started. It ends with this process, however this process ends. */
export async function prepareServer(
  { native, directory, owner, password }: ServerPlace,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PostgresServer> {
  const data = dataOf(directory);
  const port = await freePort();
  const options = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...settings,
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
  return {
    url,
    data,
    start: async () => {
      shell.stdin.write('start\n');
      await untilReady(url, join(directory, 'server.log'));
    },
    end: async (signal) => {
      // Its children would outlive it for a moment, suspended ones forever.
      if (signal === 'KILL') await killAll(data);
      shell.stdin.write(`${signal}\n`);
      await said(shell, 'stopped');
    },
    signal: (signal) => {
      signalAll(data, signal);
    },
    stop: async () => {
      shell.stdin.end();
      await said(shell, 'ended');
    },
  };
}

/** Signals the server in this directory and all that it has started; it is stopped first, so that it starts no process meanwhile. */
function signalAll(data: string, signal: NodeJS.Signals): void {
  const server = mainProcess(data);
  process.kill(server, 'SIGSTOP');
  for (const { pid } of childrenOf(server)) process.kill(pid, signal);
  process.kill(server, signal);
}

/** Kills the server and all that it has started. Its memory is free then, as after the loss of a machine. */
async function killAll(data: string): Promise<void> {
  const server = mainProcess(data);
  process.kill(server, 'SIGSTOP');
  for (const { pid } of childrenOf(server)) process.kill(pid, 'SIGKILL');
  while (childrenOf(server).some(({ state }) => !state.startsWith('Z'))) await delay(10);
  process.kill(server, 'SIGKILL');
}

function mainProcess(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}

function childrenOf(parent: number): { readonly pid: number; readonly state: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid]) => Number(ppid) === parent)
    .map(([pid, , state = '']) => ({ pid: Number(pid), state }));
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
