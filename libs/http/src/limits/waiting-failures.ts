import { apart } from '@app/primitives/context';
import type { RateLimitName } from './rate-limits';

/** Failures of one client that are to be counted together. */
export interface Failures {
  readonly name: RateLimitName;
  readonly client: string;
  readonly count: number;
}

/** More clients than this fail within one statement only in a flood; what comes on top is not counted. */
const mostWaiting = 10_000;

/**
 * Failures that have not been counted yet. While one statement is under way the next ones gather, so that a flood of
 * failures takes one connection of the database and not all of them, and waits in bounded memory.
 */
export class WaitingFailures {
  private waiting = new Map<string, Failures>();
  private latest: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  /** @param write counts them in one statement; must not reject */
  constructor(private readonly write: (failures: readonly Failures[]) => Promise<void>) {}

  /** Resolves when the failure has been counted, or at once when there is no room for it. */
  add(name: RateLimitName, client: string): Promise<void> {
    const key = keyOf(name, client);
    const known = this.waiting.get(key);
    if (!known && this.waiting.size >= mostWaiting) return Promise.resolve();
    this.waiting.set(key, { name, client, count: (known?.count ?? 0) + 1 });
    this.next ??= apart(() => this.latest.then(() => this.flush()));
    return this.next;
  }

  private flush(): Promise<void> {
    const failures = [...this.waiting.values()];
    this.waiting = new Map();
    this.latest = this.next ?? this.latest;
    this.next = undefined;
    return this.write(failures);
  }
}

/** The name of one client's failures of one kind. */
export function keyOf(name: string, client: string): string {
  return `${name} ${client}`;
}
