import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type Awaitable } from '@app/primitives/awaitable';
import { apart, currentTenant, inTenant, ofTenant, type Tenant } from '@app/primitives/context';
import { StoreUnavailableError } from '../errors';

/** Milliseconds that a mark is held. */
const longest = 1_000;
const every = 250;
/** Milliseconds until the next attempt when a mark could not be written. */
const pause = 5_000;
/** How often a mark is tried that cannot be written although the database is there. */
const mostAttempts = 5;
/** Milliseconds for which a report, or the next marks, wait for those that are being written. */
const patience = 1_000;
/** Beyond it the caller waits until its mark is written. */
const mostHeld = 10_000;
/** As many are written at a time; they share statements. */
const groupSize = 64;

interface Held<V> {
  readonly value: V;
  readonly tenant: Tenant | undefined;
  /** On the clock of `performance.now()`: when it is to be written by itself. */
  due: number;
  attempts: number;
  writing?: Promise<void> | undefined;
}

/**
 * Marks for streams that no caller waits for. Each is held for a second, in which a decision about its stream can append it together with
 * its own events; then it is written by itself. A stop writes those held, a crash loses them: whoever reports what
 * has happened calls `settle` before, so that nothing is lost that was reported.
 */
export class HeldMarks<V> implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(HeldMarks.name);
  /** By keys of tenants. */
  private readonly held = new Map<string, Held<V>>();
  private timer: NodeJS.Timeout | undefined;
  private pausedUntil = 0;
  private flushing = false;

  /** @param write appends the mark to its stream, unless that has it; called again after a failure */
  constructor(private readonly write: (value: V) => Awaitable<unknown>) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.writeDue(), every).unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.pausedUntil = 0;
    clearInterval(this.timer);
    await this.writeInGroups([...this.held.keys()]);
  }

  /** Takes a mark; does nothing when one is held under this key. Rejects only when the caller has to wait and it cannot be written. */
  hold(key: string, value: V): Awaitable<unknown> {
    if (this.held.has(own(key)) || this.holdIfRoom(key, value)) return undefined;
    return this.inOwnContext(value, currentTenant());
  }

  /** Takes a mark that may be lost, in place of the one under this key. @returns whether there was room for it */
  holdIfRoom(key: string, value: V, milliseconds = longest): boolean {
    if (this.held.size >= mostHeld) return false;
    this.held.set(own(key), { value, tenant: currentTenant(), due: performance.now() + milliseconds, attempts: 0 });
    return true;
  }

  get keys(): readonly string[] {
    const prefix = own('');
    return [...this.held.keys()].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  of(key: string): V | undefined {
    return this.held.get(own(key))?.value;
  }

  /** Forgets a mark: a decision has appended it. */
  forget(key: string): void {
    this.held.delete(own(key));
  }

  /** Writes the mark now, if there is one. When that fails or takes long it is still held, and so was not reported to anyone. */
  settleOne(key: string): Awaitable<void> {
    return this.held.has(own(key)) ? inTime(this.written(own(key))) : undefined;
  }

  /** The same for all marks of the tenant at hand; not soon after the database was away. */
  settleAll(): Promise<void> {
    return inTime(this.writeInGroups(this.keys.map(own)));
  }

  private async writeDue(): Promise<void> {
    if (this.flushing) return;
    this.flushing = true;
    try {
      const now = performance.now();
      const due = [...this.held].filter(([, one]) => one.due <= now && !one.writing).map(([key]) => key);
      await this.writeInGroups(due);
    } finally {
      this.flushing = false;
    }
  }

  private async writeInGroups(keys: string[]): Promise<void> {
    while (keys.length > 0 && performance.now() >= this.pausedUntil) {
      await inTime(Promise.all(keys.splice(0, groupSize).map((key) => this.written(key))));
    }
  }

  /** Resolves when the mark has been written, or could not be. */
  private written(key: string): Promise<void> {
    const one = this.held.get(key);
    if (!one) return Promise.resolve();
    one.writing ??= this.inOwnContext(one.value, one.tenant).then(
      () => {
        if (this.held.get(key) === one) this.held.delete(key);
      },
      (error: unknown) => {
        one.writing = undefined;
        this.failed(key, one, error);
      },
    );
    return one.writing;
  }

  /** It would be the same for all marks while the database is away; any other failure concerns the one. */
  private failed(key: string, one: Held<V>, error: unknown): void {
    const next = performance.now() + pause;
    const isAway = error instanceof StoreUnavailableError;
    if (isAway) this.pausedUntil = next;
    else {
      one.due = next;
      one.attempts++;
    }
    const isGivenUp = one.attempts >= mostAttempts;
    if (isGivenUp && this.held.get(key) === one) this.held.delete(key);
    const event = isGivenUp ? 'mark.given-up' : 'mark.not-written';
    this.logger.warn({ event, reason: error instanceof Error ? error.name : 'unknown' });
  }

  /** Outside of the unit of work and the deadline of a request. */
  private inOwnContext(value: V, tenant: Tenant | undefined): Promise<unknown> {
    return inTenant(tenant, () => apart(() => Promise.resolve(this.write(value))));
  }
}

/** Streams of tenants may have the same ids. */
function own(key: string): string {
  return `${ofTenant('mark')} ${key}`;
}

/** What is held of one kind of stream, by the kinds of marks; each kind has room of its own. */
export abstract class PendingMarks implements OnModuleInit, OnModuleDestroy {
  protected abstract readonly kinds: readonly Pick<
    HeldMarks<unknown>,
    'onModuleInit' | 'onModuleDestroy' | 'settleAll'
  >[];

  onModuleInit(): void {
    for (const kind of this.kinds) kind.onModuleInit();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.kinds.map((kind) => kind.onModuleDestroy()));
  }

  /** Records what is held of all streams, before they are listed. */
  async settleAll(): Promise<void> {
    await Promise.all(this.kinds.map((kind) => kind.settleAll()));
  }
}

/** Resolves with the work, which never rejects, or earlier when it takes long. */
function inTime(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patience);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
