import { EventStore, type Lag } from '@app/event-store';
import { addUp, type Counted, countedIn, MetricsListener } from '@app/observability';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** What the thread is asked; it answers with the same `id`. */
export interface Question {
  readonly id: number;
  readonly asked: 'lags' | 'counted' | 'stop';
}

export interface Answer {
  readonly id: number;
  readonly answer: unknown;
}

/** Milliseconds that a probe or a scrape waits for the thread. */
const patience = 500;
/** The last checkpoint and requests to receivers of webhooks; the database closes afterwards. */
const atStop = 1_200;
const firstPause = 1_000;
const longestPause = 60_000;
/** A thread that ran for this long has started well. */
const wellAfter = 60_000;

/**
 * The thread that does what no request waits for: subscriptions, deliveries of webhooks, checkpoints, expiries, erasures and removals. To the
 * database it is one more replica, without listeners. It starts again when it ends.
 */
@Injectable()
export class BackgroundThread implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Background');
  private thread: Worker | undefined;
  private stopping = false;
  private restart: NodeJS.Timeout | undefined;
  private pause = firstPause;
  private ids = 0;
  private readonly waiting = new Map<number, (answer: unknown) => void>();
  private answeredAt = performance.now();
  /** Of threads that have ended: what was counted only ever grows. */
  private ended: Promise<readonly Counted[]> = Promise.resolve([]);
  private latest: readonly Counted[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly metrics: MetricsListener,
  ) {}

  onApplicationBootstrap(): void {
    // An embedded database has no second connection.
    if (!this.store.leavesBackground) return;
    this.store.addLags(() => this.lags());
    this.metrics.addThread(() => this.counted());
    this.start();
  }

  /** The requests have been answered. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const { thread } = this;
    if (!thread) return;
    await this.ask('stop', atStop);
    await thread.terminate();
  }

  private start(): void {
    const begin = performance.now();
    const thread = new Worker(join(__dirname, 'background.worker.js'), {
      // Of the memory of a container the threads share what is not the heap of requests.
      resourceLimits: { maxOldGenerationSizeMb: mostHeap(), maxYoungGenerationSizeMb: 8 },
    });
    this.thread = thread;
    let failure: unknown;
    thread.on('message', ({ id, answer }: Answer) => {
      this.answeredAt = performance.now();
      this.waiting.get(id)?.(answer);
    });
    thread.on('error', (error) => {
      failure = error;
    });
    thread.on('exit', () => {
      this.thread = undefined;
      this.ended = this.everCounted();
      this.latest = [];
      for (const answered of this.waiting.values()) answered(undefined);
      if (this.stopping) return;
      if (performance.now() - begin > wellAfter) this.pause = firstPause;
      this.logger.error({ event: 'background.ended', err: failure, pause: this.pause }, 'It starts again');
      this.restart = setTimeout(() => {
        this.start();
      }, this.pause);
      this.pause = Math.min(2 * this.pause, longestPause);
    });
  }

  /** @returns undefined when no answer comes in time */
  private async ask(asked: Question['asked'], milliseconds = patience): Promise<unknown> {
    const { thread } = this;
    if (!thread) return undefined;
    const id = ++this.ids;
    const answered = new Promise<unknown>((resolve) => this.waiting.set(id, resolve));
    thread.postMessage({ id, asked } satisfies Question);
    try {
      return await Promise.race([answered, delay(milliseconds, undefined, { ref: false })]);
    } finally {
      this.waiting.delete(id);
    }
  }

  /** Of a thread that does not answer, for how long it has not. */
  private async lags(): Promise<readonly Lag[]> {
    const lags = (await this.ask('lags')) as readonly Lag[] | undefined;
    const silent = lags === undefined ? (performance.now() - this.answeredAt) / 1000 : 0;
    return [...(lags ?? []), ['background', silent]];
  }

  private async counted(): Promise<readonly Counted[]> {
    this.latest = ((await this.ask('counted')) as readonly Counted[] | undefined) ?? this.latest;
    return this.everCounted();
  }

  private async everCounted(): Promise<readonly Counted[]> {
    const { latest } = this;
    return countedIn(addUp([await this.ended, latest]));
  }
}

/** MiB: a quarter of what this thread may have, which Node takes from the limit of the container. */
function mostHeap(): number {
  return Math.max(96, Math.round(getHeapStatistics().heap_size_limit / 4 / 1024 ** 2));
}
