import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';

/** Milliseconds that a mark is held. */
const longest = 1_000;
const every = 250;
/** Milliseconds until the next attempt when a mark could not be written. */
const pause = 5_000;
/** Beyond it the caller waits until its mark is written. */
const mostHeld = 10_000;
/** As many are written at a time; they share statements. */
const groupSize = 64;

interface Held<V> {
  readonly value: V;
  /** On the clock of `performance.now()`. */
  readonly since: number;
  writing?: Promise<boolean> | undefined;
}

/**
 * Marks for streams that no caller waits for. Each is held for a second, in which a decision about its stream can append it together with
 * its own events; then it is written by itself. A stop writes those held, a crash loses them: whoever reports what
 * has happened calls `settle` before, so that nothing is lost that was reported.
 */
export abstract class HeldMarks<V> implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(HeldMarks.name);
  private readonly held = new Map<string, Held<V>>();
  /** Not that of a request: a mark is written outside of its unit of work and its deadline. */
  private readonly context = new AsyncResource(HeldMarks.name);
  private timer: NodeJS.Timeout | undefined;
  private pausedUntil = 0;
  private flushing = false;

  /** Appends the mark to its stream, unless that has it. Called again after a failure. */
  protected abstract write(value: V): Promise<unknown>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.writeDue(), every).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.writeInGroups([...this.held.keys()]);
  }

  /** Takes a mark; does nothing when one is held under this key. Rejects only when the caller has to wait and it cannot be written. */
  protected async hold(key: string, value: V): Promise<void> {
    if (this.held.has(key)) return;
    if (this.held.size >= mostHeld) await this.inOwnContext(value);
    else this.held.set(key, { value, since: performance.now() });
  }

  protected of(key: string): V | undefined {
    return this.held.get(key)?.value;
  }

  /** Forgets a mark: a decision has appended it. */
  protected forget(key: string): void {
    this.held.delete(key);
  }

  /** Writes the mark now, if there is one. When that fails it is still held, and so was not reported to anyone. */
  protected async settleOne(key: string): Promise<void> {
    await this.written(key);
  }

  /** The same for all marks; not soon after one could not be written, because it would be the same for each. */
  async settleAll(): Promise<void> {
    if (performance.now() >= this.pausedUntil) await this.writeInGroups([...this.held.keys()]);
  }

  private async writeDue(): Promise<void> {
    if (this.flushing || performance.now() < this.pausedUntil) return;
    this.flushing = true;
    try {
      const limit = performance.now() - longest;
      const due = [...this.held].filter(([, { since }]) => since <= limit).map(([key]) => key);
      await this.writeInGroups(due);
    } finally {
      this.flushing = false;
    }
  }

  private async writeInGroups(keys: string[]): Promise<void> {
    while (keys.length > 0) {
      const written = await Promise.all(keys.splice(0, groupSize).map((key) => this.written(key)));
      if (written.includes(false)) return;
    }
  }

  private written(key: string): Promise<boolean> {
    const one = this.held.get(key);
    if (!one) return Promise.resolve(true);
    one.writing ??= this.inOwnContext(one.value).then(
      () => {
        if (this.held.get(key) === one) this.held.delete(key);
        return true;
      },
      (error: unknown) => {
        one.writing = undefined;
        this.pausedUntil = performance.now() + pause;
        this.logger.warn({ event: 'mark.not-written', reason: error instanceof Error ? error.name : 'unknown' });
        return false;
      },
    );
    return one.writing;
  }

  private inOwnContext(value: V): Promise<unknown> {
    return this.context.runInAsyncScope(() => this.write(value));
  }
}
