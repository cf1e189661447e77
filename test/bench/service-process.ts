import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort } from '../support/service/service';

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const root = resolve(__dirname, '../../..');

export interface ServiceOptions {
  readonly database: string;
  /** The public URL; its own address when absent. */
  readonly publicUrl?: string | undefined;
  /** Of another checkout that was built; this one when absent. */
  readonly directory?: string | undefined;
}

/** The built service on loopback, in a process of its own. */
export function startService({ database, publicUrl, directory = root }: ServiceOptions): Promise<ServiceProcess> {
  const settings = {
    ...(publicUrl !== undefined && { SERVICE__APPLICATION_URL: publicUrl }),
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
  };
  return startProcess('dist/apps/server/src/main.js', settings, directory);
}

export function startEmptyService(): Promise<ServiceProcess> {
  return startProcess('dist/test/bench/empty-service.js', {});
}

async function startProcess(
  script: string,
  settings: Readonly<Record<string, string>>,
  directory = root,
): Promise<ServiceProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...profiling(), script], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      // Its only effects here: an http URL is allowed, and the known password of the key store.
      SERVICE__PROFILE: 'development',
      // Development writes a human-readable line for each request, which production does not.
      SERVICE__LOG__LEVEL: 'warn',
      SERVICE__HTTP__PORT: String(port),
      SERVICE__APPLICATION_URL: url,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A benchmark that fails must not leave processes behind.
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  await started(child, script);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** With `BENCH_CPU_PROFILE=directory` each process leaves a V8 profile there; figures of such a run count for nothing. */
function profiling(): string[] {
  const directory = process.env['BENCH_CPU_PROFILE'];
  return directory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${directory}`];
}

/** Both programs say that they are ready once they listen. */
function started(child: ChildProcess, script: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (/\bready\b/.test(chunk.toString())) resolve();
    });
    child.once('exit', (code) => {
      reject(new Error(`${script} ended with ${code ?? 'a signal'} before it was ready.`));
    });
  });
}
