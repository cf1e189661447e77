import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Seconds of CPU that a process has used so far; `undefined` where the system does not report it. */
export type CpuMeter = () => number | undefined;

/** Linux counts the time of a process in ticks of 10 ms, whatever the kernel was configured with. */
const ticksPerSecond = 100;

export function cpuOfProcess(pid: number): CpuMeter {
  return () => readStat(pid)?.own;
}

/**
 * All processes of the PostgreSQL server that `backend` belongs to; connections that have ended count as well.
 * @param backend process id of any connection, as the server reports it
 */
export function cpuOfPostgres(backend: number): CpuMeter {
  const postmaster = readStat(backend)?.parent;
  // A server elsewhere has process ids of its own that name nothing, or something else, here.
  if (postmaster === undefined || readStat(postmaster)?.name !== 'postgres') return () => undefined;
  return () => {
    const server = readStat(postmaster);
    if (!server) return undefined;
    const workers = readdirSync('/proc').map((pid) => (/^\d+$/.test(pid) ? readStat(Number(pid)) : undefined));
    return workers.reduce(
      (total, worker) => total + (worker?.parent === postmaster ? worker.own : 0),
      server.own + server.ended,
    );
  };
}

/** Resident memory, in MiB: the largest so far, and now. */
export function memoryOf(pid: number): { readonly peak: number | undefined; readonly now: number | undefined } {
  const status = read(`/proc/${pid}/status`) ?? '';
  const figure = (name: string): number | undefined => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return found === undefined ? undefined : Number(found) / 1024;
  };
  return { peak: figure('VmHWM'), now: figure('VmRSS') };
}

/** The share of all cores that this process gets when it asks for all of them: what other work leaves. */
export async function freeShare(): Promise<number> {
  const cores = availableParallelism();
  const threads = Array.from({ length: cores }, () => new Worker('for (;;);', { eval: true }));
  await delay(200);
  const [begin, before] = [performance.now(), process.cpuUsage()];
  await delay(2_000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - begin) / cores;
  await Promise.all(threads.map((thread) => thread.terminate()));
  return share;
}

interface Stat {
  readonly name: string;
  readonly parent: number;
  /** Seconds of CPU of the process itself, and of its children that have ended. */
  readonly own: number;
  readonly ended: number;
}

function readStat(pid: number): Stat | undefined {
  const [, name, rest] = /^\d+ \((.*)\) \S (.*)$/s.exec(read(`/proc/${pid}/stat`) ?? '') ?? [];
  if (name === undefined || rest === undefined) return undefined;
  // proc_pid_stat(5), from field 4: ppid; 14 to 17: utime, stime, cutime, cstime
  const fields = rest.split(' ').map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(10, 14);
  return {
    name,
    parent: fields[0] ?? 0,
    own: (user + system) / ticksPerSecond,
    ended: (endedUser + endedSystem) / ticksPerSecond,
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
