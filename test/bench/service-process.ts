import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/service/service';
import { publicUrl } from './sealwright';

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** It and what it prints: a path. */
  readonly child: ChildProcess;
  readonly log: string;
  stop(): Promise<void>;
}

/** What the replicas of one service have in common. */
export interface Installation {
  /** Of the checkout whose build it is. */
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Of a portal, with the scopes that its flows need. */
  readonly apiKey: string;
}

export const root = resolve(__dirname, '../../..');

const scopes = ['templates', 'offers', 'credentials', 'verification', 'tenants'].flatMap((area) => [
  `${area}:read`,
  `${area}:write`,
]);

/**
 * A production installation: tables and the API key are made by its command line, limits and log level are the
 * defaults. @param directory another checkout that was built; this one when absent
 */
export function install(database: string, directory = root): Installation {
  const settings = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    SERVICE__APPLICATION_URL: publicUrl,
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    // The wallets of the authorization code flow authenticate by nothing.
    SERVICE__AUTHORIZATION__CLIENTS: 'any',
    // Each wallet has an address of its own, as behind the proxy of the public URL: one address may begin 600 times a minute.
    SERVICE__HTTP__TRUSTED_PROXIES: '127.0.0.1',
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: randomBytes(24).toString('base64url'),
  };
  const sealwright = (...words: string[]): string =>
    execFileSync(process.execPath, ['dist/apps/cli/src/main.js', ...words], {
      cwd: directory,
      env: settings,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  sealwright('migrate');
  const all = [...scopes, 'offers:deliver', 'verification:deliver'];
  return { directory, settings, apiKey: sealwright('api-keys', 'create', '--name', 'portal', '--scope', ...all) };
}

/** The built service on loopback, in a process of its own. */
export async function startService({ directory, settings }: Installation, preload?: string): Promise<ServiceProcess> {
  const port = await freePort();
  const ports = { SERVICE__HTTP__PORT: String(port) };
  const options = { port, directory, settings: { ...settings, ...ports }, ...(preload !== undefined && { preload }) };
  return startProgram('dist/apps/server/src/main.js', options);
}

export interface ProgramOptions {
  /** Where it will listen. */
  readonly port: number;
  readonly directory?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** The Node.js that runs it: a path; that of this process when absent. */
  readonly node?: string;
  /** A file that is loaded before it and talks with this process by messages. */
  readonly preload?: string;
}

/** A program that answers `GET /readyz` with 200 once it is ready. What it prints goes to a file. */
export async function startProgram(
  script: string,
  { port, directory = root, settings = {}, node = process.execPath, preload }: ProgramOptions,
): Promise<ServiceProcess> {
  const url = `http://127.0.0.1:${port}`;
  const place = mkdtempSync(join(tmpdir(), 'bench-'));
  const log = join(place, 'output.log');
  const output = openSync(log, 'w');
  const flags = preload === undefined ? profiling() : ['--require', preload];
  const child = spawn(node, [...flags, script], {
    cwd: directory,
    env: settings,
    stdio: ['ignore', output, output, ...(preload === undefined ? [] : (['ipc'] as const))],
  });
  const ended = once(child, 'exit');
  // A benchmark that fails must not leave processes or files behind.
  const kill = (): void => {
    child.kill('SIGKILL');
    rmSync(place, { recursive: true, force: true });
  };
  process.once('exit', kill);
  await ready(url, child).catch((error: unknown) => {
    throw new Error(`${script} did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`, { cause: error });
  });
  return {
    url,
    pid: child.pid ?? 0,
    child,
    log,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** With `BENCH_CPU_PROFILE=directory` each process leaves a V8 profile there; figures of such a run count for nothing. */
function profiling(): string[] {
  const directory = process.env['BENCH_CPU_PROFILE'];
  return directory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${directory}`];
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('It has ended.');
    if (await isReady(url)) return;
    await delay(50);
  }
  throw new Error('It was not ready within a minute.');
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
