import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/service/service';

const root = join(__dirname, '../..');

/** A directory as it is after `npm ci --omit=dev`: the package, what was built of it, and no compiler. */
async function installed(parts: { readonly isBuilt: boolean }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sealwright-npm-start-'));
  await copyFile(join(root, 'package.json'), join(directory, 'package.json'));
  // Node.js looks for packages next to the real path of a file, so the service finds those of the repository.
  if (parts.isBuilt) await symlink(join(root, 'dist'), join(directory, 'dist'));
  return directory;
}

interface NpmProcess {
  readonly npm: ChildProcess;
  output(): string;
  /** Exit code and signal. */
  readonly ended: Promise<unknown[]>;
}

function npmStart(directory: string, port: number): NpmProcess {
  const npm = spawn('npm', ['start'], {
    cwd: directory,
    // With a process group of its own, to end the service when it outlives npm.
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      // It would call the registry.
      npm_config_update_notifier: 'false',
      SERVICE__PROFILE: 'development',
      SERVICE__HTTP__PORT: String(port),
      SERVICE__HTTP__DRAIN_SECONDS: '0',
      SERVICE__APPLICATION_URL: `http://127.0.0.1:${port}`,
      SERVICE__CREDENTIAL_CONFIGURATIONS__PATH: join(root, 'config/credential-configurations'),
      SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { npm, output: () => output, ended: once(npm, 'close') };
}

async function untilReady({ npm, output, ended }: NpmProcess): Promise<void> {
  const isReady = new Promise<void>((resolve) => {
    npm.stdout?.on('data', () => {
      if (output().includes('is ready')) resolve();
    });
  });
  const hasEnded = ended.then(() => Promise.reject(new Error(output())));
  await Promise.race([isReady, hasEnded]);
}

const isServed = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    () => true,
    () => false,
  );

function killGroup({ npm }: NpmProcess): void {
  try {
    if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
  } catch {
    // No process is left.
  }
}

describe('npm start', () => {
  let directory: string;
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('runs the build without a compiler, and ends by the SIGTERM that npm gets', async () => {
    directory = await installed({ isBuilt: true });
    const port = await freePort();
    const started = npmStart(directory, port);
    try {
      await untilReady(started);
      expect(await isServed(port)).toBe(true);
      started.npm.kill('SIGTERM');
      expect(await started.ended).toEqual([0, null]);
      expect(await isServed(port)).toBe(false);
    } finally {
      killGroup(started);
    }
  });

  it('names the command to run when nothing was built', async () => {
    directory = await installed({ isBuilt: false });
    const started = npmStart(directory, await freePort());
    expect(await started.ended).toEqual([1, null]);
    expect(started.output()).toContain('Nothing has been built. Run: npm ci --include=dev && npm run build');
  });
});
