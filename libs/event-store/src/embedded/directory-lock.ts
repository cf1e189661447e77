import { readFileSync, rmSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** The holder touches its file this often; a holder on another host is taken for dead after four missed times. */
const heartbeat = 5_000;
const held = new Set<string>();

/**
 * Takes the directory for this process. The lock of a process that no longer lives is taken over; throws one clear sentence when it lives.
 * Containers sharing a volume see different hosts and the same process numbers, hence the host and the heartbeat.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  const path = join(resolve(directory), 'in-use.lock');
  if (held.has(path)) throw new Error(inUse(directory, 'this process'));
  held.add(path);
  try {
    await take(path, directory);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  const timer = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), heartbeat).unref();
  return {
    release: async () => {
      clearInterval(timer);
      await rm(path, { force: true });
      held.delete(path);
    },
  };
}

const mine = (): string => `${process.pid} ${hostname()}\n`;

async function take(path: string, directory: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(mine());
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await removeStale(path, directory);
  }
  throw new Error(inUse(directory, 'another process'));
}

async function removeStale(path: string, directory: string): Promise<void> {
  const holder = await readFile(path, 'utf8').catch(() => undefined);
  if (holder === undefined) return; // released meanwhile
  const [pid = '', host = ''] = holder.trim().split(' ');
  const lives = host === hostname() ? isRunning(Number(pid)) : await wasTouched(path);
  if (lives) throw new Error(inUse(directory, `process ${pid} on ${host}`));
  // Renamed first and checked again: of two processes that found it stale only one may remove it.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const removed = readIfThere(aside);
  if (removed !== undefined && removed !== holder) await rename(aside, path);
  else rmSync(aside, { force: true });
}

function isRunning(pid: number): boolean {
  // The number of this process, not held by it: left by an earlier process with the same number (always so in a container).
  if (pid === process.pid || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function wasTouched(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined);
  return file !== undefined && Date.now() - file.mtimeMs < 4 * heartbeat;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function inUse(directory: string, holder: string): string {
  return `The embedded database in ${directory} is in use by ${holder}: stop it first, or use a PostgreSQL server for more than one process.`;
}
