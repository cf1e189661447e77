import { currentStore, type Tenants } from '@app/primitives/context';
import { Logger } from '@nestjs/common';
import { releaseLock, takeLock } from '../database/advisory-lock';
import type { StoredEvent } from '../streams/aggregate';
import { NewerVersionError, StoreUnavailableError } from '../errors';
import type { EventLog, EventPage, Wanted } from './event-log';
import type { SqlDriver, SqlSession } from '../database/sql-driver';
import { type CommitPosition, isBehind, keepPosition, readPosition } from './subscription-position';

type Batch = readonly [StoredEvent, ...StoredEvent[]];

interface Section {
  readonly isAlone: boolean;
  /** By the marks of tenants. */
  readonly batches: Map<string, [StoredEvent, ...StoredEvent[]]>;
  until: CommitPosition;
}

/** Handles one event. It may come again after a failure or a crash, never be skipped, and never come before an earlier one is done. */
export type EventHandler = (event: StoredEvent) => Promise<void>;

/**
 * Handles events of one tenant in the order in which they were stored, several at once; otherwise as `EventHandler`. It gets those it
 * wants. Those of another tenant may come later although they were stored before.
 */
export interface BatchHandler extends Wanted {
  readonly batch: (events: Batch) => Promise<void>;
  /** Whether an event is handled by itself: those before it are done then, and are not handled again because of it. */
  readonly isAlone?: (event: StoredEvent) => boolean;
  /** Whether there is nothing to do for events that are not alone: asked once for all of a section, whatever tenants they are of. */
  readonly isIdle?: () => Promise<boolean>;
}

export type Handler = EventHandler | BatchHandler;

export interface Subscription {
  /** Resolves when a running handler has finished. */
  stop(): Promise<void>;
}

const poll = 75;
/** Between two looks, however often it is woken. */
const breath = 10;
/** Between two looks while events keep coming: each look costs the database as much as several appends. */
const breathAmongEvents = 50;
const batchSize = 200;
/** How often a process looks whether the one that holds a subscription has gone. */
const standby = 1_000;
const longestBackOff = 30_000;
const longestOutagePause = 1_000;

/** All subscriptions of one process: they share one connection, whose session locks make each of them the only active one. */
export class Subscriptions {
  private readonly running = new Map<string, Reader>();
  private readonly left = new Set<string>();
  private session: Promise<SqlSession> | undefined;

  constructor(
    private readonly driver: SqlDriver,
    private readonly log: EventLog,
    private readonly tenants: Tenants,
  ) {}

  start(name: string, handler: Handler): Subscription {
    if (this.running.has(name)) throw new Error(`The subscription "${name}" is already running.`);
    const reader = new Reader(name, handler, this.log, this.tenants, () => this.connected());
    this.running.set(name, reader);
    return {
      stop: async () => {
        await reader.stop();
        this.running.delete(name);
      },
    };
  }

  /** Names a subscription that another thread runs. */
  leave(name: string): Subscription {
    this.left.add(name);
    return {
      stop: () => {
        this.left.delete(name);
        return Promise.resolve();
      },
    };
  }

  names(): readonly string[] {
    return [...this.running.keys(), ...this.left];
  }

  /** Something was appended by this process. */
  wake(): void {
    for (const reader of this.running.values()) reader.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map((reader) => reader.stop()));
    this.running.clear();
    await this.session?.then(
      (session) => session.close(),
      () => undefined,
    );
    this.session = undefined;
  }

  private async connected(): Promise<SqlSession> {
    const tried = this.session;
    const open = await tried?.catch(() => undefined);
    if (open?.isAlive() === true) return open;
    // Only the first reader to find it gone replaces it.
    if (this.session === tried) this.session = this.driver.session();
    return this.session ?? this.driver.session();
  }
}

class Reader {
  private readonly logger = new Logger('Subscription');
  private stopping = false;
  private woken = false;
  private wakeable = false;
  private endPause: (() => void) | undefined;
  private failures = 0;
  private readonly handler: BatchHandler;
  private readonly lock: string;
  private readonly store = currentStore();
  private readonly done: Promise<void>;

  constructor(
    private readonly name: string,
    handler: Handler,
    private readonly log: EventLog,
    private readonly tenants: Tenants,
    private readonly connect: () => Promise<SqlSession>,
  ) {
    this.handler =
      typeof handler === 'function' ? { batch: ([event]) => handler(event), isAlone: () => true } : handler;
    this.lock = `subscription ${name}`;
    this.done = this.run();
  }

  wake(): void {
    this.woken = true;
    if (this.wakeable) this.endPause?.();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.endPause?.();
    await this.done;
  }

  private async run(): Promise<void> {
    let locked: SqlSession | undefined;
    let checkpoint: CommitPosition | undefined;
    while (!this.stopping) {
      try {
        const session = await this.connect();
        if (locked !== session) {
          if (!(await takeLock(session, this.lock))) {
            await this.pause(standby);
            continue;
          }
          locked = session;
          checkpoint = undefined;
        }
        checkpoint ??= await readPosition(session, this.name);
        this.woken = false;
        const { types, member } = this.handler;
        const page = await this.log.read(checkpoint, { limit: batchSize, types, member }, session);
        const isNews = isBehind(checkpoint, page.reached);
        checkpoint = await this.handle(page, session, checkpoint);
        this.failures = 0;
        if (!page.isFull) await this.idle(isNews ? breathAmongEvents : breath);
      } catch (error) {
        // What the stored checkpoint does not cover is handled again, over the next connection.
        checkpoint = undefined;
        if (error instanceof NewerVersionError && locked) {
          await releaseLock(locked, this.lock).catch(() => undefined);
          locked = undefined;
        }
        await this.backOff(error);
      }
    }
    if (locked?.isAlive() === true) await releaseLock(locked, this.lock).catch(() => undefined);
  }

  private async handle(page: EventPage, session: SqlSession, from: CommitPosition): Promise<CommitPosition> {
    let reached = from;
    try {
      for (const { batches, until, isAlone } of this.sectionsOf(page)) {
        const isPassed = !isAlone && (await this.handler.isIdle?.()) === true;
        for (const [tenant, batch] of batches) {
          // A lost connection has lost the lock: another process may be handling these already.
          if (this.stopping || !session.isAlive()) return reached;
          if (!isPassed) await this.tenants.as(tenant, () => this.handOut(batch));
          this.failures = 0;
        }
        reached = until;
      }
      reached = page.reached;
    } finally {
      if (reached !== from) await keepPosition(session, this.name, reached);
    }
    return reached;
  }

  /** Those of a tenant that has moved were handled where it was before. */
  private handOut(batch: Batch): Promise<void> {
    return currentStore() === this.store ? Promise.resolve(this.handler.batch(batch)) : Promise.resolve();
  }

  /** Events that are handled in any order of their tenants. One that is alone is a section by itself. */
  private sectionsOf({ events }: EventPage): Section[] {
    const sections: Section[] = [];
    let isOpen = false;
    for (const { at, stored } of events) {
      const isAlone = this.handler.isAlone?.(stored) === true;
      const section = isOpen && !isAlone ? sections.at(-1) : undefined;
      const batch = section?.batches.get(stored.tenant);
      if (batch) batch.push(stored);
      else section?.batches.set(stored.tenant, [stored]);
      if (section) section.until = at;
      else sections.push({ isAlone, batches: new Map([[stored.tenant, [stored]]]), until: at });
      isOpen = !isAlone;
    }
    return sections;
  }

  private async backOff(error: unknown): Promise<void> {
    this.failures++;
    const longest = error instanceof StoreUnavailableError ? longestOutagePause : longestBackOff;
    const pause = Math.min(100 * 2 ** (this.failures - 1), longest);
    const reason = error instanceof Error ? error.name : typeof error;
    this.logger.warn({
      event: 'subscription.retrying',
      subscription: this.name,
      failures: this.failures,
      pause,
      reason,
    });
    await this.pause(pause);
  }

  private async idle(atLeast: number): Promise<void> {
    await this.pause(atLeast);
    if (!this.woken) await this.pause(poll - atLeast, true);
  }

  private async pause(milliseconds: number, untilWoken = false): Promise<void> {
    if (this.stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
      this.wakeable = untilWoken;
    });
    this.wakeable = false;
  }
}
