import { canonicalJson } from '@app/json';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attribution, type AttributionSource, type AuditEntry, ownWork } from './attribution';
import { auditRow } from './audit-table';
import { ConflictError } from './errors';
import type { EventMetadata } from './stored-event';
import { nameUsed } from './used-values';
import type { ConsumedRow, EventRow, Write } from './write';

/** A stream as the database has it. */
export interface StreamRecord {
  readonly version: number;
  readonly state: unknown;
  readonly dataKey: Buffer | undefined;
  readonly createdAt: Date | undefined;
  readonly updatedAt: Date | undefined;
}

/** An event that waits for its unit of work to end: only then are the values known that the unit uses up. */
export interface EventInUnit extends Omit<EventRow, 'metadata'> {
  metadata: EventMetadata;
}

/** A stream as one unit of work sees it: what was loaded, and what the unit has added. */
export interface StreamInUnit {
  readonly streamId: string;
  readonly category: string;
  readonly foldVersion: number;
  readonly loaded: StreamRecord;
  readonly head: Buffer | undefined;
  version: number;
  state: unknown;
  parent: string | null;
  newDataKey: Buffer | undefined;
  readonly events: EventInUnit[];
}

/** Collects what one piece of work decides, until all of it is written at once. */
export class UnitOfWork {
  readonly id = randomUUID();
  readonly streams = new Map<string, StreamInUnit>();
  readonly consumed: ConsumedRow[] = [];
  readonly erased = new Set<string>();
  /** In addition to the attribution. */
  readonly audited: AuditEntry[] = [];
  /** The database's clock as this unit first read it. */
  now: Date | undefined;
  over = false;

  constructor(readonly attribution: Attribution = ownWork) {}

  toWrite(): Write | undefined {
    const changed = [...this.streams.values()].filter((stream) => stream.events.length > 0);
    if (changed.length === 0 && this.consumed.length === 0 && this.erased.size === 0 && this.audited.length === 0) {
      return undefined;
    }
    const events = changed.flatMap((stream) => stream.events);
    nameUsed(this.consumed, events);
    const audited = [...this.ownAudit(changed), ...this.audited];
    return {
      unit: this.id,
      events: events.map((event) => ({ ...event, metadata: canonicalJson(event.metadata) })),
      streams: changed.map(
        ({ streamId, category, foldVersion, parent, version, state, head, loaded: { updatedAt } }) => {
          return { streamId, category, foldVersion, parent, version, state: JSON.stringify(state), head, updatedAt };
        },
      ),
      consumed: this.consumed,
      dataKeys: changed.flatMap(({ streamId, newDataKey }) =>
        newDataKey === undefined ? [] : [{ streamId, sealed: newDataKey.toString('hex') }],
      ),
      erased: [...this.erased],
      audit: audited.map(auditRow),
    };
  }

  private ownAudit(changed: readonly StreamInUnit[]): readonly AuditEntry[] {
    const { audit } = this.attribution;
    if (!audit || (changed.length === 0 && this.erased.size === 0)) return [];
    return [audit(changed.map(({ category, streamId }) => ({ category, id: streamId.slice(category.length + 1) })))];
  }
}

/** How often work is tried that loses against other writers. */
const usualAttempts = 4;

/** Opens units of work and lets nested calls join the one they run in. */
export class UnitsOfWork {
  private readonly context = new AsyncLocalStorage<UnitOfWork>();

  constructor(
    private readonly commit: (write: Write, unit: UnitOfWork) => Promise<void>,
    private readonly attribute: AttributionSource = () => ownWork,
  ) {}

  /** The unit that reads here have to see. */
  current(): UnitOfWork | undefined {
    const unit = this.context.getStore();
    return unit?.over === true ? undefined : unit;
  }

  /** Joins the current unit, or does the work in a new one, again after a conflict. */
  async transact<T>(work: () => Promise<T>, attempts = usualAttempts): Promise<T> {
    if (this.joinable() !== undefined) return work();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(work);
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt >= attempts) throw error;
        // The losers of one round would otherwise meet again in the next.
        await delay(Math.random() * 8 * attempt);
      }
    }
  }

  /** Joins the current unit, or does the work in a new one, once. */
  async join<T>(work: (unit: UnitOfWork) => Promise<T> | T): Promise<T> {
    const unit = this.joinable();
    return unit === undefined ? this.once(work) : work(unit);
  }

  /** Runs work that outlives the caller's unit. */
  outside<T>(work: () => T): T {
    return this.context.exit(work);
  }

  private joinable(): UnitOfWork | undefined {
    const unit = this.context.getStore();
    // A write after the end would silently be a separate unit, although the work it belongs to may have failed.
    if (unit?.over === true) throw new Error('The unit of work has ended: a promise started in it was not awaited.');
    return unit;
  }

  private async once<T>(work: (unit: UnitOfWork) => Promise<T> | T): Promise<T> {
    const unit = new UnitOfWork(this.attribute());
    let result: T;
    try {
      result = await this.context.run(unit, () => work(unit));
    } finally {
      unit.over = true;
    }
    const write = unit.toWrite();
    if (write !== undefined) await this.commit(write, unit);
    if (write !== undefined && write.audit.length > unit.audited.length) unit.attribution.stored?.();
    return result;
  }
}
