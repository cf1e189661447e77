import { type Awaitable } from '@app/primitives/awaitable';
import { atStore, currentStore, currentTenant, Tenants } from '@app/primitives/context';
import { type CurrentDeadline, noDeadline } from '@app/primitives/time';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import type { Aggregate, DomainEvent, Repository, SingleUse } from './streams/aggregate';
import { type AttributionSource, type AuditEntry, ownWork } from './append/attribution';
import { type AuditPage, type AuditPageQuery, listAudit, removeOldAudit } from './audit-table';
import { type ClockWatch, lookAtClock } from './database/clock-watch';
import type { DropReason } from './errors';
import type { DestroyElsewhere } from './erasure/erasure-watch';
import { countByStatus, type StatusCount } from './lists/status-counts';
import { countByWeek, type WeekCount, type WeekRange } from './lists/week-counts';
import type { EventLog } from './subscriptions/event-log';
import { StreamCache } from './streams/stream-cache';
import { hasShippedSchema } from './database/migrate';
import { rebuildStore, rebuildStreams } from './rebuild/rebuild';
import type { RangeResult, StreamRange, LongWork } from './passes/stream-ranges';
import { Proofs, PROVERS, type Provers } from './proofs/proofs';
import { SQL_DRIVER, type SqlDriver } from './database/sql-driver';
import { storedNameOf, streamIdOf } from './streams/stored-event';
import { outcomeOf, report, type StoreObserver } from './store-observer';
import { StreamRepository } from './stream-repository';
import { type StoreParts, storeParts } from './store-parts';
import { Stores } from './database/stores';
import type { Handler, Subscription } from './subscriptions/subscription';
import { subscriptionLags } from './subscriptions/subscription-lag';
import { UnitsOfWork } from './append/unit-of-work';
import { noteOfValue, removeExpiredValues, toConsumed } from './append/used-values';
import { tryWrite } from './database/write-probe';
import { type Verified, type VerifyOptions, verifyStore } from './verification/verify';
import { verifyStreams } from './verification/verify-streams';

/** Injection token of the one `CurrentDeadline`. */
export const CURRENT_DEADLINE = Symbol('CURRENT_DEADLINE');

/** Injection token of a boolean; see `EventStore.leavesBackground`. */
export const LEAVES_BACKGROUND = Symbol('LEAVES_BACKGROUND');

export interface Backlog {
  readonly units: number;
  readonly bytes: number;
  /** Since the process began. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** 0 while the database answers. */
  readonly silentSeconds: number;
}

/** Seconds since the oldest event was stored that a reader has not reached. */
export type Lag = readonly [reader: string, seconds: number];
type ReadLags = () => Promise<readonly Lag[]>;

@Injectable()
export class EventStore implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly aggregates = new Map<string, Aggregate<unknown, DomainEvent>>();
  private readonly kept = new StreamCache();
  private readonly proofs: Proofs | undefined;
  /** Of the first store. */
  private readonly own: StoreParts;
  /** Of the store at hand. */
  private readonly at: () => StoreParts;
  private readonly all: StoreParts[] = [];
  private readonly subscribed = new Map<string, { readonly handler: Handler; readonly begun: Subscription[] }>();
  private readonly units: UnitsOfWork;
  private readonly addedLags: ReadLags[] = [];
  private observer: StoreObserver | undefined;
  private attribution: AttributionSource = () => ownWork;
  private destroyElsewhere: DestroyElsewhere = () => Promise.resolve();

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    @Optional() @Inject(CURRENT_DEADLINE) deadline: CurrentDeadline = noDeadline,
    @Optional() @Inject(PROVERS) provers?: Provers,
    /** Whether another thread does what no request waits for: subscriptions, folding again, and work by the clock. */
    @Optional() @Inject(LEAVES_BACKGROUND) readonly leavesBackground = false,
    @Optional() @Inject(Tenants) tenants = new Tenants(),
    @Optional() @Inject(Stores) private readonly stores = new Stores(driver),
  ) {
    this.proofs = provers && new Proofs(provers);
    const partsOf = (of: SqlDriver): StoreParts => {
      const { aggregates, proofs, kept } = this;
      const { mayHaveOthers } = stores;
      const parts = storeParts(of, { aggregates, proofs, kept, deadline, tenants, mayHaveOthers });
      this.all.push(parts);
      return parts;
    };
    this.own = partsOf(driver);
    this.at = stores.objects(this.own, partsOf);
    stores.onJoin(() => {
      for (const [name, { handler, begun }] of this.subscribed) begun.push(this.begin(name, handler));
    });
    this.units = new UnitsOfWork(
      (write, unit) => {
        const begin = this.observer && performance.now();
        const { commits, subscriptions } = this.at();
        return commits.commit(write).then(
          (stored) => {
            if (write.events.length > 0) subscriptions.wake();
            if (begin !== undefined) report(this.observer, 'stored', begin, unit.streams.values());
            return write.erased.length > 0 ? this.destroyElsewhere(write.erased).then(() => stored) : stored;
          },
          (error: unknown) => {
            if (begin !== undefined) report(this.observer, outcomeOf(error), begin, []);
            throw error;
          },
        );
      },
      () => this.attribution(),
      this.kept,
    );
  }

  /** For readers of their own pace; `subscribe` is for work that must be done once. */
  get log(): EventLog {
    return this.at().log;
  }

  /** At most one observer; it is called with the outcome of each unit of work, afterwards. */
  observe(observer: StoreObserver): void {
    this.observer = observer;
  }

  /** A unit of work that destroys data keys resolves when the handler, too, has destroyed what it has of the streams. */
  afterErasure(handler: DestroyElsewhere): void {
    this.destroyElsewhere = handler;
  }

  /** Says from now on who does a unit of work; until then it is the service itself. */
  attributeTo(source: AttributionSource): void {
    this.attribution = source;
  }

  /** Leaves a row in the audit. Part of the unit of work; stored when it resolves when there is none. */
  audit(entry: AuditEntry): Awaitable<void> {
    return this.units.join((unit) => {
      unit.audited.push(entry);
    });
  }

  /** The audit, the newest row first. Throws `InvalidCursorError`. */
  listAudit(query: AuditPageQuery): Promise<AuditPage> {
    return listAudit(this.stores.driver, query);
  }

  /** How many streams of a category were created in each week, by members of their state. */
  countByWeek(category: string, members: readonly string[], range: WeekRange): Promise<WeekCount[]> {
    return countByWeek(this.stores.driver, category, members, range);
  }

  /** How many streams of a category whose ids begin so are in each status. Costs as much as there are. */
  countByStatus(category: string, beginning: string): Promise<StatusCount[]> {
    return countByStatus(this.stores.driver, category, beginning);
  }

  /** Removes rows of the audit that are older than this many days, thirty at least, by the database's clock. */
  removeOldAudit(days: number): Promise<number> {
    return removeOldAudit(this.stores.driver, days);
  }

  /** Of the aggregates that were registered. */
  get categories(): readonly string[] {
    return [...this.aggregates.keys()];
  }

  /**
   * The position, in the store at hand, of what had this one in the store where the tenant at hand was before: of its last event up to there,
   * since a position may be that of another's. The same one when no other store knows it.
   */
  async presentPosition(position: string): Promise<string> {
    const here = currentStore();
    const { mark = '' } = currentTenant() ?? {};
    if (mark === '' || (await this.log.lastOf(mark, position))) return position;
    for (const store of this.stores.open().filter((one) => one !== here)) {
      const named = await atStore(store, () => this.log.lastOf(mark, position)).catch(() => undefined);
      if (named) return (await this.log.positionOf(named)) ?? position;
    }
    return position;
  }

  /** Registers the aggregate, once, and gives the only way to its streams. */
  repository<S, E extends DomainEvent>(aggregate: Aggregate<S, E>): Repository<S, E> {
    const { category } = aggregate;
    if (!/^[a-zA-Z][a-zA-Z0-9_]*$/.test(category))
      throw new Error(`"${category}" is not a category: use letters, digits and _.`);
    if (this.aggregates.has(category)) throw new Error(`The category "${category}" is registered twice.`);
    this.aggregates.set(category, aggregate);
    return new StreamRepository(aggregate, this.stores.driver, this.at, this.units, this.kept);
  }

  /**
   * A unit of work. What is saved inside, also by nested calls, is written by one statement when the outermost work returns; nothing is
   * written when it throws. After a conflict the work runs again, three times, so it must have no other effects; then `ConflictError`.
   * Streams may first be as this process knew them, as in `Repository.update`: also then the work runs again if that does not hold.
   */
  transact<T>(work: () => Promise<T>): Promise<T>;
  transact<T>(work: () => Awaitable<T>): Awaitable<T>;
  transact<T>(work: () => Awaitable<T>): Awaitable<T> {
    return this.units.transact(work);
  }

  /** Work that writes nothing: each stream is read once, however often it is asked for. Throws what `work` throws. */
  reading<T>(work: () => Awaitable<T>): Awaitable<T> {
    return this.units.transact(work, 1);
  }

  /** Uses values up that belong to no stream (a nonce, a proof's id). Part of the unit of work. */
  consume(...values: SingleUse[]): Awaitable<void> {
    return this.units.join((unit) => {
      for (const value of values) unit.consumed.push(toConsumed(value, null));
    });
  }

  /** See `noteOfValue`. */
  noteOf(kind: string, hash: Buffer): Promise<string | undefined> {
    return noteOfValue(this.stores.driver, kind, hash);
  }

  /** The wrapped data key of a stream, `category-id`; `undefined` when it was destroyed. Does not see an open unit's writes. */
  async dataKeyOf(streamId: string): Promise<Buffer | undefined> {
    return (await this.at().reader.byId(storedNameOf(streamId))).record.dataKey;
  }

  /**
   * What was sealed with the stream's data key can never be read again. Part of the unit of work, with the event
   * `PersonalDataErased`: by that every other replica forgets the stream within seconds.
   */
  destroyDataKey(category: string, id: string): Awaitable<void> {
    return this.units.join((unit) => {
      unit.erased.add(streamIdOf(category, id));
    });
  }

  /**
   * Hands every event, from the first one ever, to the handler: at least once, in commit order, streams in order, in one process at a
   * time. A failing handler is called again with growing pauses, one of batches with the whole batch. Within one unit of work the streams come
   * ordered by id. Where the background is left to another thread nothing is handed out here; the lag is known all the same.
   */
  subscribe(name: string, handler: Handler): Subscription {
    if (this.subscribed.has(name)) throw new Error(`The subscription "${name}" is already running.`);
    const begun: Subscription[] = [];
    this.subscribed.set(name, { handler, begun });
    for (const store of this.stores.open()) begun.push(atStore(store, () => this.begin(name, handler)));
    return {
      stop: async () => {
        this.subscribed.delete(name);
        await Promise.all(begun.map((subscription) => subscription.stop()));
      },
    };
  }

  /** At the store at hand. */
  private begin(name: string, handler: Handler): Subscription {
    const { subscriptions } = this.at();
    if (this.leavesBackground) return subscriptions.leave(name);
    return this.units.outside(() => subscriptions.start(name, handler));
  }

  /** Folds all streams again and compares, checks proofs and used values, and checkpoints where it can read them. */
  verify(options: VerifyOptions = {}): Promise<Verified> {
    const { proofs } = this;
    const workers = [(range: StreamRange) => this.verifyRange(range)];
    return verifyStore(this.stores.driver, { proofs }, { workers, ...options });
  }

  /** Folds all streams again and stores what differed, with the used values that are missing. */
  rebuild(work: LongWork = {}): Promise<RangeResult> {
    return rebuildStore(this.stores.driver, { workers: [(range: StreamRange) => this.rebuildRange(range)], ...work });
  }

  /** What `verify` does with streams, of some of them. */
  verifyRange(range: StreamRange): Promise<RangeResult> {
    return verifyStreams(this.stores.driver, { aggregates: this.aggregates, proofs: this.proofs }, range);
  }

  /** What `rebuild` does, with some of the streams. */
  rebuildRange(range: StreamRange): Promise<RangeResult> {
    return rebuildStreams(this.stores.driver, { aggregates: this.aggregates, proofs: this.proofs }, range);
  }

  /** Folds the states of categories again whose fold this release has changed, unless that is done; see `RefoldStates`. */
  foldAnew(): Promise<void> {
    return this.at().folding.run();
  }

  /** See `removeExpiredValues`. Forgets streams that were not used for a while. */
  removeExpired(): Promise<number> {
    this.kept.forgetOld();
    return removeExpiredValues(this.stores.driver);
  }

  /** Forgets the streams that other replicas have erased; the running service does so every two seconds. */
  forgetErased(): Promise<void> {
    return this.at().erasures.look();
  }

  /** Rejects with `StoreUnavailableError` when the database does not answer, or not within `timeout` milliseconds. */
  async ping(timeout?: number): Promise<void> {
    await this.look(timeout);
  }

  /**
   * Asks the database what time it has and whether it takes writes.
   * @returns milliseconds by which its clock is ahead of the one of this process
   */
  async look(timeout?: number): Promise<{ readonly clockAhead: number; readonly readOnly: boolean }> {
    const begin = performance.now();
    const { clock, driver } = this.at();
    const [row] = await driver.query<{ now: Date; read_only: boolean }>({
      name: 'look',
      // On for a standby as well.
      text: `select clock_timestamp() as now, current_setting('transaction_read_only') = 'on' as read_only`,
      values: [],
      timeout,
    });
    if (row) clock.observe(row.now, performance.now() - begin);
    return { clockAhead: clock.ahead(), readOnly: row?.read_only === true };
  }

  /** See `tryWrite`. */
  tryWrite(timeout?: number): ReturnType<typeof tryWrite> {
    return tryWrite(this.stores.driver, timeout);
  }

  /** One of the looks, of all replicas, that show whether the database's clock goes steadily; several an hour. */
  lookAtClock(): Promise<ClockWatch> {
    return lookAtClock(this.stores.driver);
  }

  /** How much waits to be written, how many units were given up and why, and how long the database has been silent. */
  backlog(): Backlog {
    const { commits, driver } = this.at();
    return { ...commits.backlog(), silentSeconds: (driver.silence?.duration ?? 0) / 1000 };
  }

  /** Whether the database has the tables of this release; a newer one may have added to them. */
  hasShippedSchema(): Promise<boolean> {
    return hasShippedSchema(this.stores.driver);
  }

  /** Seconds since the oldest event was stored that a subscription running here, or one that was added, has not reached; 0 when there is none. */
  async subscriptionLags(): Promise<ReadonlyMap<string, number>> {
    const { subscriptions, driver } = this.at();
    const names = subscriptions.names();
    const [lags, others] = await Promise.all([subscriptionLags(driver, names), this.addedLagsNow()]);
    // Of a reader that two threads know the greater one.
    return new Map([...lags, ...others].sort(([, one], [, other]) => one - other));
  }

  /** Those that were added: what this process alone can know. */
  async addedLagsNow(): Promise<readonly Lag[]> {
    return (await Promise.all(this.addedLags.map((read) => read()))).flat();
  }

  /** Adds readers of events that run elsewhere. @param read seconds, as of `subscriptionLags` */
  addLags(read: ReadLags): void {
    this.addedLags.push(read);
  }

  /** The database's clock without asking it: for stamping authenticated values, not for judging what is stored. */
  clock(): Date {
    return this.at().clock.now();
  }

  /** Stops the subscriptions, lets running commits finish and closes the database. */
  async close(): Promise<void> {
    await Promise.all(
      this.all.map(async ({ erasures, folding, subscriptions, commits }) => {
        erasures.stop();
        await folding.stop();
        await subscriptions.stop();
        await commits.settled();
      }),
    );
    await this.stores.close();
  }

  onModuleInit(): Promise<void> {
    return this.ping();
  }

  onApplicationBootstrap(): void {
    const start = (): void => {
      const { folding, erasures } = this.at();
      if (!this.leavesBackground) folding.start();
      erasures.start();
    };
    start();
    this.stores.onJoin(start);
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
