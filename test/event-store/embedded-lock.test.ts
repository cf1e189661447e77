import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStore, openDriver } from '@app/event-store';
import { lockDirectory } from '../../libs/event-store/src/embedded/directory-lock';
import { hash, open, repositories } from './accounts';
import { startReplica } from './replica';

describe('the directory of an embedded database', () => {
  let directory: string;
  let lock: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-lock-'));
    lock = join(directory, 'in-use.lock');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const isFree = async (): Promise<void> => {
    await (await lockDirectory(directory)).release();
    expect(existsSync(lock)).toBe(false);
  };

  it('rejects a second holder in one process, and is free again after the first releases it', async () => {
    const first = await lockDirectory(directory);
    await expect(lockDirectory(`${directory}/.`)).rejects.toThrow(/in use by this process: stop it first/);
    await first.release();
    await isFree();
  });

  it('is locked while another process holds it, and taken over once that has died', async () => {
    const other = spawn('sleep', ['60']);
    writeFileSync(lock, `${other.pid ?? 0} ${hostname()}\n`);
    await expect(lockDirectory(directory)).rejects.toThrow(`in use by process ${other.pid ?? 0} on ${hostname()}`);
    const gone = new Promise((resolve) => other.once('exit', resolve));
    other.kill('SIGKILL');
    await gone;
    await isFree();
  });

  it('is taken over from a dead process with the same process id, as in a container', async () => {
    writeFileSync(lock, `${process.pid} ${hostname()}\n`);
    await isFree();
  });

  it('is locked while another host holds it, and taken over once that stops refreshing the lock', async () => {
    writeFileSync(lock, '1 another-container\n');
    await expect(lockDirectory(directory)).rejects.toThrow('in use by process 1 on another-container');
    const long = new Date(Date.now() - 60_000);
    utimesSync(lock, long, long);
    await isFree();
  });

  it('keeps what was acknowledged when its process is killed, and can be opened at once', async () => {
    const options = { type: 'embedded', directory } as const;
    const replica = await startReplica(options);
    await expect(openDriver(options)).rejects.toThrow(/in use by process \d+ on/);
    expect(await replica.redeem([hash('a').toString('hex'), hash('b').toString('hex')], 1)).toEqual([1, 1]);
    await replica.kill();
    const driver = await openDriver(options);
    const store = new EventStore(driver);
    const { accounts } = repositories(store);
    expect((await accounts.list({ limit: 10 })).items).toHaveLength(2);
    await accounts.save('after', 0, [open()]);
    await store.close();
  });
});
