import { attempt, type Awaitable } from '@app/primitives/awaitable';
import { currentMark } from '@app/primitives/context';
import { canonicalJson } from '@app/primitives/json';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import { type Attribution, type AttributionSource, type AuditEntry, ownWork } from './attribution';
import { auditRow } from '../audit-table';
import type { Stored } from './append';
import { ConflictError, PresumptionError, StoreUnavailableError } from '../errors';
import { handleOf, StreamCache } from '../streams/stream-cache';
import { categoryOf, type EventMetadata, idOf, markOf } from '../streams/stored-event';
import type { StreamRecord } from '../streams/stream-record';
import { nameUsed } from './used-values';
import type { ConsumedRow, EventRow, PresumedRow, PendingWrite } from './pending-write';

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
  /** As of `StoredStream`. */
  readonly tx: string | undefined;
  /** It was not read, but taken as this process knew it: to be changed, or only to be looked at. */
  readonly presumed?: 'to-change' | 'to-read' | undefined;
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
  private readonly mark = currentMark();

  /** @param mayPresume whether streams may be taken as this process knew them */
  constructor(
    readonly attribution: Attribution = ownWork,
    readonly mayPresume = false,
  ) {}

  /** Throws for a stream of another tenant than the one in whose name the unit was opened. */
  refuseOthers(streamId: string): void {
    if (markOf(streamId) !== this.mark) throw new Error('A unit of work writes streams of one tenant only.');
  }

  get presumed(): readonly StreamInUnit[] {
    return this.mayPresume ? [...this.streams.values()].filter(({ presumed }) => presumed !== undefined) : [];
  }

  /**
   * Whether the statement will check all that was presumed: it has to append something, and an event to each stream that was
   * presumed not to exist.
   */
  get isCheckedByItself(): boolean {
    const { presumed } = this;
    if (presumed.length === 0) return true;
    if (presumed.some(({ tx, events }) => tx === undefined && events.length === 0)) return false;
    return [...this.streams.values()].some(({ events }) => events.length > 0);
  }

  toWrite(): PendingWrite | undefined {
    const changed = [...this.streams.values()].filter((stream) => stream.events.length > 0);
    if (changed.length === 0 && this.consumed.length === 0 && this.erased.size === 0 && this.audited.length === 0) {
      return undefined;
    }
    const events = changed.flatMap((stream) => stream.events);
    nameUsed(this.consumed, events);
    for (const {
      streamId,
      newDataKey,
      events: [first],
    } of changed) {
      const dataKey = this.erased.has(streamId) ? 'destroyed' : newDataKey && 'made';
      if (first && dataKey) first.metadata = { ...first.metadata, dataKey };
    }
    const audited = [...this.ownAudit(changed), ...this.audited];
    const { presumed } = this;
    return {
      unit: this.id,
      events: events.map((event) => ({ ...event, metadata: canonicalJson(event.metadata) })),
      streams: changed.map(({ streamId, foldVersion, parent, version, state, head, loaded: { updatedAt } }) => {
        const category = categoryOf(streamId);
        return { streamId, category, foldVersion, parent, version, state: JSON.stringify(state), head, updatedAt };
      }),
      consumed: this.consumed,
      dataKeys: changed.flatMap(({ streamId, newDataKey }) =>
        newDataKey === undefined ? [] : [{ streamId, sealed: newDataKey.toString('hex') }],
      ),
      erased: [...this.erased],
      audit: audited.map(auditRow),
      ...(this.mark !== '' && { tenant: this.mark }),
      presumed: presumed.length === 0 ? undefined : presumed.flatMap(presumedRow),
    };
  }

  private ownAudit(changed: readonly StreamInUnit[]): readonly AuditEntry[] {
    const { audit } = this.attribution;
    if (!audit || (changed.length === 0 && this.erased.size === 0)) return [];
    return [audit(changed.map(({ category, streamId }) => ({ category, id: idOf(streamId) })))];
  }
}

/** A new stream shows by its first event that it was one. */
function presumedRow({ streamId, loaded: { version, dataKey }, head, tx }: StreamInUnit): PresumedRow[] {
  if (tx === undefined) return [];
  return [{ streamId, version, head: head?.toString('hex') ?? null, tx, sealed: dataKey !== undefined }];
}

/** How often work is tried that loses against other writers. */
const usualAttempts = 4;

/** Stores a unit of work; see `GroupCommit.commit`. */
type Commit = (write: PendingWrite, unit: UnitOfWork) => Promise<Stored | undefined>;

/**
 * Opens units of work and lets nested calls join the one they run in.
 *
 * A unit may first take streams as this process knew them. Such a unit ends well only if it appends something: its statement
 * then fails if one of these streams has another version, another history, or lost its data key, also if the unit only looked
 * at it. What is decided without an append, a rejection above all, is decided again on what the database has; so it is
 * after any failure.
 */
export class UnitsOfWork {
  private readonly context = new AsyncLocalStorage<UnitOfWork>();

  constructor(
    private readonly commit: Commit,
    private readonly attribute: AttributionSource = () => ownWork,
    private readonly kept = new StreamCache(),
  ) {}

  /** The unit that reads here have to see. */
  current(): UnitOfWork | undefined {
    const unit = this.context.getStore();
    return unit?.over === true ? undefined : unit;
  }

  /** Joins the current unit, or does the work in a new one, again after a conflict. */
  transact<T>(work: () => Awaitable<T>, attempts = usualAttempts): Awaitable<T> {
    if (this.context.getStore() !== undefined) return this.join(work);
    // A single attempt decides on nothing that came after it began, and so has to begin with what the database has.
    const mayPresume = attempts > 1 && this.kept.isWorthTrying();
    const done = this.once(work, mayPresume);
    return types.isPromise(done) ? done.catch((error: unknown) => this.again(work, attempts, error)) : done;
  }

  /** What follows after a first attempt that has failed. */
  private async again<T>(work: () => Awaitable<T>, attempts: number, failure: unknown): Promise<T> {
    for (let attempt = 1, error = failure; ;) {
      const reason = error instanceof PresumptionError ? error.cause : error;
      if (reason instanceof ConflictError) {
        if (attempt >= attempts) throw reason;
        // The losers of one round would otherwise meet again in the next.
        if (reason === error) await delay(Math.random() * 8 * attempt);
        attempt++;
      } else if (!(error instanceof PresumptionError)) throw error;
      try {
        return await this.once(work);
      } catch (next) {
        error = next;
      }
    }
  }

  /** Joins the current unit, or does the work in a new one, once. */
  join<T>(work: (unit: UnitOfWork) => Awaitable<T>): Awaitable<T> {
    return attempt(() => {
      const unit = this.joinable();
      return unit === undefined ? this.once(work) : work(unit);
    });
  }

  /** Runs work that outlives the caller's unit. */
  outside<T>(work: () => T): T {
    return this.context.exit(work);
  }

  /** The unit that writes here join. Throws where it has ended. */
  joinable(): UnitOfWork | undefined {
    const unit = this.context.getStore();
    // A write after the end would silently be a separate unit, although the work it belongs to may have failed.
    if (unit?.over === true) throw new Error('The unit of work has ended: a promise started in it was not awaited.');
    return unit;
  }

  private once<T>(work: (unit: UnitOfWork) => Awaitable<T>, mayPresume = false): Awaitable<T> {
    const unit = new UnitOfWork(this.attribute(), mayPresume);
    const failed = (error: unknown): never => {
      unit.over = true;
      throw this.judged(error, unit);
    };
    const finish = (result: T): Awaitable<T> => this.finish(unit, result);
    const worked = this.context.run(unit, () => attempt(() => work(unit)));
    return types.isPromise(worked) ? worked.then(finish, failed) : attempt(() => finish(worked));
  }

  /** Ends a unit whose work is done, and stores it. */
  private finish<T>(unit: UnitOfWork, result: T): Awaitable<T> {
    unit.over = true;
    if (!unit.isCheckedByItself) throw this.judged(new PresumptionError(), unit);
    const write = unit.toWrite();
    return write === undefined ? result : this.store(write, unit, result);
  }

  private store<T>(write: PendingWrite, unit: UnitOfWork, result: T): Promise<T> {
    return this.commit(write, unit).then(
      (stored) => {
        this.remember(write, unit, stored);
        if (write.presumed) this.kept.report(true);
        if (write.audit.length > unit.audited.length) unit.attribution.stored?.();
        return result;
      },
      (error: unknown) => {
        for (const { streamId } of write.streams) this.kept.forget(streamId);
        // A value that was used before says nothing about the streams: a wallet that sends its nonce again costs others nothing.
        if (write.presumed && error instanceof ConflictError) this.kept.report(false);
        throw this.judged(error, unit);
      },
    );
  }

  /** A failure of a unit that presumed something says nothing about the database, unless that does not answer. */
  private judged(error: unknown, unit: UnitOfWork): unknown {
    const { presumed } = unit;
    for (const { streamId, events, presumed: purpose } of presumed) {
      if (purpose === 'to-change' && events.length === 0) this.kept.forgetUnused(streamId);
      else this.kept.forget(streamId);
    }
    if (presumed.length === 0 || error instanceof StoreUnavailableError) return error;
    return error instanceof PresumptionError ? error : new PresumptionError({ cause: error });
  }

  private remember(write: PendingWrite, unit: UnitOfWork, stored: Stored | undefined): void {
    for (const { streamId, version, state } of write.streams) {
      const [stream, head] = [unit.streams.get(streamId), stored?.heads.get(streamId)];
      if (!stream || !stored || !head || unit.erased.has(streamId)) {
        this.kept.forget(streamId);
        continue;
      }
      const { newDataKey, loaded } = stream;
      const updatedAt = new Date(head.at);
      const { createdAt = updatedAt, dataKey = newDataKey } = loaded;
      this.kept.keep({ streamId, version, state, head: head.bytes, tx: stored.tx, dataKey, createdAt, updatedAt });
    }
    for (const streamId of unit.erased) this.kept.forget(streamId);
    for (const { kind, hash, streamId, expiresAt } of write.consumed) {
      if (streamId === null) continue;
      this.kept.bind(handleOf(kind, hash), {
        streamId,
        expiresAt: expiresAt === null ? Infinity : Date.parse(expiresAt),
      });
    }
  }
}
