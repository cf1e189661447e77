import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of CPU that a process has used so far; `undefined` where the system does not report it. */
export type CpuMeter = () => number | undefined;

/** Linux counts the time of a process in ticks of 10 ms, whatever the kernel was configured with. */
const ticksPerSecond = 100;

export function cpuOfProcess(pid: number): CpuMeter {
  return () => readStat(pid)?.own;
}

/**
 * The first process of a PostgreSQL server on this machine.
 * @param backend process id of any connection, as the server reports it
 */
export function postmasterOf(backend: number): number | undefined {
  const postmaster = readStat(backend)?.parent;
  // A server elsewhere has process ids of its own that name nothing, or something else, here.
  return postmaster !== undefined && readStat(postmaster)?.name === 'postgres' ? postmaster : undefined;
}

/** All processes of a PostgreSQL server; connections that have ended count as well. */
export function cpuOfPostgres(postmaster: number | undefined): CpuMeter {
  if (postmaster === undefined) return () => undefined;
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

/**
 * What the machine spent on all but these processes and those that they have started, so far. Work in the kernel that belongs to
 * no process, such as writing to disk, counts as that of others.
 */
export function cpuOfOthers(roots: readonly number[]): CpuMeter {
  return () => {
    const busy = busySeconds(read('/proc/stat') ?? '');
    if (busy === undefined) return undefined;
    const processes = readdirSync('/proc').flatMap((pid) => {
      const stat = /^\d+$/.test(pid) ? readStat(Number(pid)) : undefined;
      return stat ? [{ pid: Number(pid), ...stat }] : [];
    });
    return busy - ofTrees(processes, roots);
  };
}

/** Of all cores together; time that the host took from this machine counts. @param text proc_stat(5) */
export function busySeconds(text: string): number | undefined {
  const fields = /^cpu +(.*)$/m.exec(text)?.[1]?.split(' ').map(Number);
  if (!fields) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond;
}

/** Seconds of the processes that are `roots`, or whose parent, or parent's parent, is one. Those that have ended count, too. */
export function ofTrees(processes: readonly (Stat & { readonly pid: number })[], roots: readonly number[]): number {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const belongs = (pid: number | undefined): boolean =>
    pid !== undefined && (roots.includes(pid) || belongs(parents.get(pid)));
  return processes.reduce((sum, { pid, own, ended }) => sum + (belongs(pid) ? own + ended : 0), 0);
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
