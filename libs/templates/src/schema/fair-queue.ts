import { Problem } from '@app/primitives/problems';
import { currentPrincipal } from '@app/http';
import { currentTenant } from '@app/primitives/context';

/** How much may wait, for one caller and in all. */
const mostOfOne = 500;
const mostOfAll = 2000;

/** The caller of the work, and its subject. */
export interface WorkOwner {
  readonly caller: string;
  readonly subject: string;
}

interface Waiting extends WorkOwner {
  readonly begin: () => Promise<void>;
}

/**
 * Lets long work in other threads take turns: one piece of each caller at a time, the callers one after the other, and the
 * subjects of a caller as well. A caller with much work delays others by one piece of work at most.
 */
export class FairQueue {
  /** By caller and subject; what is next comes first. */
  private readonly callers = new Map<string, Map<string, Waiting[]>>();
  private readonly underWay = new Set<string>();
  private readonly counts = new Map<string, number>();
  private waiting = 0;

  /** @param width pieces of work at a time */
  constructor(private readonly width: number) {}

  /** Rejects with the Problem `unavailable` when too much waits, else like the work. */
  run<T>({ caller, subject }: WorkOwner, work: () => Promise<T>): Promise<T> {
    const count = this.counts.get(caller) ?? 0;
    if (count >= mostOfOne || this.waiting >= mostOfAll) {
      const detail = 'Too many checks of schemas or claims are waiting. Send the request again in a moment.';
      return Promise.reject(new Problem('unavailable', detail, [], { 'Retry-After': '2' }));
    }
    return new Promise((resolve, reject) => {
      const subjects = this.callers.get(caller) ?? new Map<string, Waiting[]>();
      const queue = subjects.get(subject) ?? [];
      queue.push({ caller, subject, begin: () => work().then(resolve, reject) });
      this.callers.set(caller, subjects.set(subject, queue));
      this.counts.set(caller, count + 1);
      this.waiting++;
      this.goOn();
    });
  }

  private goOn(): void {
    for (const [caller, subjects] of this.callers) {
      if (this.underWay.size >= this.width) return;
      if (this.underWay.has(caller)) continue;
      const next = nextOf(subjects);
      if (subjects.size === 0) this.callers.delete(caller);
      if (next) void this.work(next);
    }
  }

  private async work({ caller, subject, begin }: Waiting): Promise<void> {
    const count = this.counts.get(caller) ?? 1;
    if (count > 1) this.counts.set(caller, count - 1);
    else this.counts.delete(caller);
    this.waiting--;
    this.underWay.add(caller);
    await begin();
    this.underWay.delete(caller);
    moveToEnd(this.callers.get(caller), subject);
    moveToEnd(this.callers, caller);
    this.goOn();
  }
}

function nextOf(subjects: Map<string, Waiting[]>): Waiting | undefined {
  for (const [subject, queue] of subjects) {
    const next = queue.shift();
    if (queue.length === 0) subjects.delete(subject);
    return next;
  }
  return undefined;
}

function moveToEnd<T>(map: Map<string, T> | undefined, key: string): void {
  const value = map?.get(key);
  if (map === undefined || value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** Whose checks take turns with those of others: the tenant, or the caller, of the current request; the empty text without one. */
export function callerNow(): string {
  return currentTenant()?.mark ?? currentPrincipal()?.client ?? '';
}
