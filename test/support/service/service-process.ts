import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './service';

/** The built product in a process of its own, as operators run it. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything it has written to stdout and stderr so far. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with its exit code once it has ended, null when a signal ended it. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

const ownBuild = join(__dirname, '../../..');

/** The program of a folder that has been built. */
function programIn(folder: string): string {
  return join(folder, 'dist/apps/server/src/main.js');
}

/**
 * @param connectionString of the PostgreSQL database it shares with others
 * @param publicUrl its public URL; the address of its own listener when absent
 * @param settings on top of those of development
 * @param build the folder of another build than that of this checkout
 */
export async function startServiceProcess(
  connectionString: string,
  publicUrl?: string,
  settings: Readonly<Record<string, string>> = {},
  build = ownBuild,
): Promise<ServiceProcess> {
  const program = programIn(build);
  if (!existsSync(program)) throw new Error('The product is not built: run "npm run build" first.');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      SERVICE__PROFILE: 'development',
      SERVICE__HTTP__PORT: String(port),
      SERVICE__APPLICATION_URL: publicUrl ?? url,
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: connectionString,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  await untilReady(child, () => output);
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    signal: (signal) => void child.kill(signal),
    ended,
    async stop() {
      process.removeListener('exit', endWithUs);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const late = setTimeout(endWithUs, 5000);
      await ended;
      clearTimeout(late);
    },
  };
}

function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      reject(new Error(`The service did not start:\n${output()}`));
    };
    const late = setTimeout(fail, 90_000);
    child.once('exit', fail);
    child.stdout?.on('data', () => {
      if (!output().includes('is ready')) return;
      clearTimeout(late);
      child.off('exit', fail);
      resolve();
    });
  });
}
