import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { freePort } from '../support/service/service';

const repository = join(__dirname, '../..');

/** A checkout that has been built; what its service is made of differs. */
async function checkout(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'sealwright-start-dev-'));
  await cp(join(repository, 'dist/apps/development'), join(root, 'dist/apps/development'), { recursive: true });
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
  for (const folder of ['apps/server/src', 'libs/pages/src']) await mkdir(join(root, folder), { recursive: true });
  return root;
}

/** Peak resident memory of a process and of those that it has started, in MB. */
async function peakMemory(pid: number): Promise<number> {
  const [, peak = ''] = /^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  const threads = await readdir(`/proc/${pid}/task`);
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const below = await Promise.all(children.join(' ').split(' ').filter(Boolean).map(Number).map(peakMemory));
  return below.reduce((sum, one) => sum + one, Number(peak) / 1024);
}

describe('npm run start:dev', () => {
  let root: string;
  let output = '';
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    root = await checkout();
  });
  afterEach(async () => {
    // What it has started belongs to its group.
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await rm(root, { recursive: true, force: true });
  });

  function start(command: string, args: string[], env: Record<string, string> = {}): ChildProcess {
    output = '';
    const started = spawn(command, args, {
      ...{ cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { PATH: process.env['PATH'], HOME: root, npm_config_update_notifier: 'false', ...env },
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    child = started;
    return started;
  }

  /** Fails when the process ends before it has printed the text. */
  async function printed(started: ChildProcess, text: string): Promise<void> {
    while (!output.includes(text)) {
      if (started.exitCode !== null) throw new Error(output);
      await Promise.race([
        once(started.stdout ?? started, 'data'),
        once(started.stderr ?? started, 'data'),
        once(started, 'exit'),
      ]);
    }
  }

  it('compiles what is saved and starts the service anew, also after a mistake', async () => {
    const source = join(root, 'apps/server/src/main.ts');
    const says = (text: string) =>
      `const text: string = '${text}';\nprocess.stdout.write(text);\nsetInterval(() => 0, 1e6);\n`;
    const loaded = ['en.json', 'style.css', 'live.js'].map((name) => join(root, 'libs/pages/src', name));
    for (const path of loaded) await writeFile(path, 'one');
    await writeFile(source, says('first'));
    const started = start(process.execPath, ['dist/apps/development/src/main.js']);
    await printed(started, 'first');
    await writeFile(source, says('second'));
    await printed(started, 'second');
    await writeFile(source, 'const text: string = ;');
    await printed(started, 'Save a change to try again.');
    expect(output).toContain('Expression expected');
    await writeFile(source, says('third'));
    await printed(started, 'third');
    for (const path of loaded) {
      await writeFile(path, 'other');
      // The next change is one of its own once the service runs again.
      await printed(started, `${relative(root, path)} changed.\nthird`);
    }
    started.kill('SIGTERM');
    await once(started, 'exit');
  });

  it('needs less than 400 MB, the creation of the embedded database included', async () => {
    for (const part of ['dist/apps/server', 'dist/libs', 'dist/node_modules', 'package.json', 'config']) {
      await symlink(join(repository, part), join(root, part));
    }
    const port = await freePort();
    const npm = start('npm', ['run', 'start:dev'], {
      SERVICE__HTTP__PORT: String(port),
      SERVICE__HTTP__DRAIN_SECONDS: '0',
      SERVICE__APPLICATION_URL: `http://127.0.0.1:${port}`,
    });
    await printed(npm, 'is ready');
    if (process.platform === 'linux') expect(await peakMemory(npm.pid ?? 0)).toBeLessThan(400);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });
});
