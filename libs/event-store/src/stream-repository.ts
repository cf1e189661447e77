import { allThere, type Awaitable, whenThere } from '@app/primitives/awaitable';
import { currentTenant, ofTenant } from '@app/primitives/context';
import { canonicalJson } from '@app/primitives/json';
import type {
  Aggregate,
  Decision,
  DomainEvent,
  FoundStream,
  Listed,
  StreamListQuery,
  Loaded,
  Page,
  Repository,
  Saved,
  SaveOptions,
  IssueListQuery,
  StateListQuery,
  StoredEvent,
  UpdateOptions,
} from './streams/aggregate';
import { ChildCounts } from './streams/child-counts';
import { type ListOrder, type ListPosition, parseCursor, renderCursor } from './lists/cursor';
import { ConflictError } from './errors';
import { handleOf, type StreamCache } from './streams/stream-cache';
import { foldVersionOf, presentStates } from './streams/fold-version';
import { issueListStatement } from './lists/issue-list-statement';
import { type ListedAggregate, listStatement, type ListedRow } from './lists/list-statement';
import type { SqlDriver, Statement } from './database/sql-driver';
import { stateListStatement } from './lists/state-list-statement';
import {
  categoryOf,
  eventColumns,
  eventVersionOf,
  idOf,
  readEvent,
  streamIdOf,
  type EventRecord,
} from './streams/stored-event';
import type { StoreParts } from './store-parts';
import { absent, type StoredStream, type StreamRead } from './streams/stream-record';
import type { StreamInUnit, UnitOfWork, UnitsOfWork } from './append/unit-of-work';
import { boundStatement, toConsumed } from './append/used-values';

export class StreamRepository<S, E extends DomainEvent> implements Repository<S, E> {
  private readonly children: ChildCounts;

  constructor(
    private readonly aggregate: Aggregate<S, E>,
    private readonly driver: SqlDriver,
    /** Of the store at hand. */
    private readonly at: () => Pick<StoreParts, 'reader' | 'clock'>,
    private readonly units: UnitsOfWork,
    private readonly kept: StreamCache,
  ) {
    this.children = new ChildCounts(driver, aggregate.category);
  }

  /** Of the tenant at hand. */
  private get category(): string {
    return ofTenant(this.aggregate.category);
  }

  private get listed(): ListedAggregate {
    return { ...this.aggregate, ofTenant: currentTenant() === undefined ? undefined : this.category };
  }

  load(id: string): Awaitable<Loaded<S>> {
    return this.seen(id) ?? this.loadFromDatabase(id);
  }

  private loadFromDatabase(id: string): Promise<Loaded<S>> {
    const streamId = streamIdOf(this.aggregate.category, id);
    const unit = this.units.current();
    return this.read(streamId).then((read) => {
      const { record, now } = read;
      if (unit === undefined) return { ...record, state: record.state as S | undefined, now };
      unit.now ??= now;
      return this.view(unit.streams.get(streamId) ?? this.enter(unit, streamId, read), unit, unit.now);
    });
  }

  /** The stream as the present unit has it, or may take it without asking the database. */
  private seen(id: string): Loaded<S> | undefined {
    const streamId = streamIdOf(this.aggregate.category, id);
    this.presume(streamId, 'to-read');
    const unit = this.units.current();
    const seen = unit?.streams.get(streamId);
    return seen && unit?.now && this.view(seen, unit, unit.now);
  }

  loadByHandle(ofAll: string, valueHash: Buffer, mayBeKept = false): Awaitable<FoundStream<S> | undefined> {
    const kind = ofTenant(ofAll);
    const unit = this.units.current();
    const hash = valueHash.toString('hex');
    const kept = mayBeKept && unit === undefined ? this.keptByHandle(kind, hash) : undefined;
    if (kept !== undefined) return kept;
    const fresh = unit?.consumed.find((row) => row.kind === kind && row.hash === hash && row.streamId !== null);
    const streamId = fresh?.streamId ?? undefined;
    if (streamId !== undefined) return this.found(streamId);
    return this.presumeByHandle(kind, hash, 'to-read') ?? this.findInDatabase(kind, hash);
  }

  async findBound(ofAll: string, prefixes: readonly Buffer[], most: number): Promise<readonly FoundStream<S>[]> {
    const rows = await this.driver.query<{ stream_id: string }>(boundStatement(ofTenant(ofAll), prefixes, most));
    const ours = rows.map((row) => row.stream_id).filter((streamId) => categoryOf(streamId) === this.category);
    return allThere(ours.map((streamId) => this.found(streamId)));
  }

  private findInDatabase(kind: string, hash: string): Promise<FoundStream<S> | undefined> {
    const { category } = this;
    const unit = this.units.current();
    const entered = (read: StreamRead): Awaitable<FoundStream<S>> => {
      const { record, now, streamId } = read;
      if (unit === undefined) return { ...record, state: record.state as S, now, id: idOf(streamId) };
      unit.now ??= now;
      if (!unit.streams.has(streamId)) this.enter(unit, streamId, read);
      return this.found(streamId);
    };
    return this.at()
      .reader.byHandle(kind, hash)
      .then((found) => {
        if (found === undefined || categoryOf(found.streamId) !== category) return undefined;
        return whenThere(this.present(found), entered);
      });
  }

  private found(streamId: string): Awaitable<FoundStream<S>> {
    const id = idOf(streamId);
    return whenThere(this.load(id), (loaded) => ({ ...loaded, state: loaded.state as S, id }));
  }

  save(id: string, expectedVersion: number, events: readonly E[], options: SaveOptions = {}): Awaitable<Saved<S>> {
    return this.units.join((unit) => {
      const streamId = streamIdOf(this.aggregate.category, id);
      // A stream that is to be new is not read first: the primary key rejects it if it exists.
      const known =
        unit.streams.get(streamId) ?? (expectedVersion === 0 ? this.enter(unit, streamId, absent) : undefined);
      const change = { streamId, expectedVersion, events, options };
      if (known) return this.add(unit, known, change);
      return this.read(streamId).then((read) =>
        this.add(unit, unit.streams.get(streamId) ?? this.enter(unit, streamId, read), change),
      );
    });
  }

  private add(
    unit: UnitOfWork,
    stream: StreamInUnit,
    { streamId, expectedVersion, events, options }: Change<E>,
  ): Saved<S> {
    unit.refuseOthers(streamId);
    if (stream.version !== expectedVersion) throw new ConflictError(streamId);
    let state = stream.state as S | undefined;
    for (const event of events) {
      state = this.aggregate.evolve(state, event);
      stream.version++;
      const { type, ...data } = event;
      const version = eventVersionOf(this.aggregate, type);
      const metadata = { unit: unit.id, ...(version > 1 && { version }), by: unit.attribution.by };
      stream.events.push({ streamId, version: stream.version, type, data: canonicalJson(data), metadata });
    }
    if (state === undefined) throw new Error(`Nothing was saved to ${streamId}: a new stream needs an event.`);
    stream.state = state;
    stream.parent = this.aggregate.parent?.(state) ?? null;
    stream.newDataKey = options.dataKey ?? stream.newDataKey;
    for (const value of options.consume ?? []) unit.consumed.push(toConsumed(value, streamId));
    return { state, version: stream.version };
  }

  update<R>(
    id: string,
    decide: (stream: Loaded<S>) => Awaitable<Decided<E, R>>,
    { attempts, isUsuallyNew }: UpdateOptions = {},
  ): Awaitable<Loaded<S> & { readonly result: R }> {
    return this.units.transact(() => {
      this.presume(streamIdOf(this.aggregate.category, id), 'to-change', isUsuallyNew);
      return whenThere(this.load(id), (loaded) => this.carryOut(id, loaded, decide(loaded)));
    }, attempts);
  }

  updateByHandle<R>(
    kind: string,
    valueHash: Buffer,
    decide: (stream: FoundStream<S>) => Awaitable<Decision<E, R>>,
    { attempts }: UpdateOptions = {},
  ): Awaitable<(FoundStream<S> & { readonly result: R }) | undefined> {
    return this.units.transact(() => {
      const presumed = this.presumeByHandle(ofTenant(kind), valueHash.toString('hex'), 'to-change');
      return whenThere(
        presumed ?? this.loadByHandle(kind, valueHash),
        (found) => found && this.carryOut(found.id, found, decide(found)),
      );
    }, attempts);
  }

  /** Has the present unit take the stream as this process knew it, if it may do that and does not have it yet. */
  private presume(streamId: string, purpose: 'to-change' | 'to-read', isUsuallyNew = false): void {
    const unit = this.units.current();
    if (unit?.mayPresume !== true || unit.streams.has(streamId)) return;
    const now = unit.now ?? this.at().clock.latest();
    const known = now && (this.kept.find(streamId) ?? (isUsuallyNew ? absent : undefined));
    if (!known) return;
    unit.now = now;
    this.enter(unit, streamId, known, purpose);
  }

  private presumeByHandle(kind: string, hash: string, purpose: 'to-change' | 'to-read'): FoundStream<S> | undefined {
    if (this.units.current()?.mayPresume !== true) return undefined;
    const streamId = this.boundTo(kind, hash);
    if (streamId === undefined) return undefined;
    this.presume(streamId, purpose);
    if (this.units.current()?.streams.get(streamId)?.presumed === undefined) return undefined;
    const id = idOf(streamId);
    const loaded = this.seen(id);
    return loaded && { ...loaded, state: loaded.state as S, id };
  }

  private keptByHandle(kind: string, hash: string): FoundStream<S> | undefined {
    const now = this.at().clock.latest();
    const streamId = this.boundTo(kind, hash);
    const known = streamId === undefined || !this.kept.isWorthTrying() ? undefined : this.kept.find(streamId);
    if (now === undefined || streamId === undefined || known === undefined) return undefined;
    return { ...known.record, state: known.record.state as S, now, id: idOf(streamId) };
  }

  /** The stream of this category that a value finds, as far as this process knows. */
  private boundTo(kind: string, hash: string): string | undefined {
    const now = this.at().clock.latest();
    const streamId = now && this.kept.bound(handleOf(kind, hash), now);
    return streamId !== undefined && categoryOf(streamId) === this.category ? streamId : undefined;
  }

  list(query: StreamListQuery): Promise<Page<S>> {
    return this.page(query, 'creation', (after) => listStatement(this.listed, query, after));
  }

  listInStates(query: StateListQuery): Promise<Page<S>> {
    return this.page(query, 'expiry', (after) => stateListStatement(this.listed, query, after));
  }

  listByIssue(query: IssueListQuery): Promise<Page<S>> {
    return this.page(query, 'issue', (after) => issueListStatement(this.listed, query, after));
  }

  private async page(
    query: Pick<StreamListQuery, 'limit' | 'cursor'>,
    order: ListOrder,
    statement: (after: ListPosition | undefined) => Statement,
  ): Promise<Page<S>> {
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, this.category, order);
    // What a unit of work lists is a few streams, and its commit waits for them.
    const lane = this.units.current() && 'reads';
    const rows = await this.driver.query<ListedRow>({ ...statement(after), lane });
    const items = await this.listedOf(rows.slice(0, query.limit));
    const last = rows[query.limit - 1];
    const more = rows.length > query.limit && last !== undefined;
    const nextCursor = more ? renderCursor({ sortedBy: last.sorted_by, streamId: last.stream_id }) : null;
    return { items, nextCursor, now: rows[0]?.now ?? this.at().clock.now() };
  }

  countChildren(parent: string): Promise<number> {
    return this.children.of(parent);
  }

  loadWithEvents(id: string): Promise<Loaded<S> & { readonly events: readonly StoredEvent<E>[] }> {
    return this.at()
      .reader.withEvents(streamIdOf(this.aggregate.category, id))
      .then(({ events, ...read }) =>
        whenThere(this.present(read), ({ record, now }) => {
          return { ...record, state: record.state as S | undefined, now, events: readEvents(events, this.aggregate) };
        }),
      );
  }

  async events(id: string): Promise<StoredEvent<E>[]> {
    const rows = await this.driver.query<EventRecord>({
      name: 'events-of-stream',
      text: `select ${eventColumns} from events where stream_id = $1 order by version`,
      values: [streamIdOf(this.aggregate.category, id)],
    });
    return readEvents(rows, this.aggregate);
  }

  private carryOut<L extends Loaded<S>, R>(
    id: string,
    loaded: L,
    decided: Awaitable<Decided<E, R>>,
  ): Awaitable<Carried<L, R>> {
    return whenThere(decided, (made) => this.carriedOut(id, loaded, made));
  }

  /** Within the unit that has loaded the stream. */
  private carriedOut<L extends Loaded<S>, R>(id: string, loaded: L, decided: Decided<E, R>): Carried<L, R> {
    const { events, result, ...options } = 'events' in decided ? decided : { events: decided, result: undefined as R };
    if (events.length === 0 && (options.consume ?? []).length === 0) return { ...loaded, result };
    const streamId = streamIdOf(this.aggregate.category, id);
    const unit = this.units.joinable();
    const stream = unit?.streams.get(streamId);
    if (!unit || !stream) throw new Error(`${streamId} is not in the unit of work that changes it.`);
    this.add(unit, stream, { streamId, expectedVersion: loaded.version, events, options });
    return { ...loaded, ...this.view(stream, unit, unit.now ?? loaded.now), result };
  }

  private read(streamId: string): Promise<StreamRead> {
    return this.at()
      .reader.byId(streamId)
      .then((read) => this.present(read));
  }

  private present(read: StreamRead): Awaitable<StreamRead> {
    this.at().clock.observe(read.now, read.took, read.askedAt);
    const { record, streamId, foldVersion } = read;
    const presented = ([state]: readonly (S | undefined)[]): StreamRead => {
      if (state !== record.state) return { ...read, record: { ...record, state } };
      this.kept.keepRead(read);
      return read;
    };
    return whenThere(presentStates(this.driver, this.aggregate, [{ streamId, foldVersion, ...record }]), presented);
  }

  private async listedOf(rows: readonly ListedRow[]): Promise<Listed<S>[]> {
    const made = rows.map(({ stream_id: streamId, version, state, fold_version: foldVersion }) => {
      return { streamId, version, state, foldVersion };
    });
    const states = await presentStates(this.driver, this.aggregate, made);
    return rows.map((row, index) => ({
      id: idOf(row.stream_id),
      state: states[index] as S,
      version: row.version,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }));
  }

  private enter(
    unit: UnitOfWork,
    streamId: string,
    read: StoredStream,
    presumed?: 'to-change' | 'to-read',
  ): StreamInUnit {
    const { record: loaded, head, tx } = read;
    const stream: StreamInUnit = {
      streamId,
      category: this.aggregate.category,
      foldVersion: foldVersionOf(this.aggregate),
      loaded,
      head,
      tx,
      presumed,
      version: loaded.version,
      state: loaded.state,
      parent: null,
      newDataKey: undefined,
      events: [],
    };
    unit.streams.set(streamId, stream);
    return stream;
  }

  private view(stream: StreamInUnit, unit: UnitOfWork, now: Date): Loaded<S> {
    const changed = stream.events.length > 0;
    return {
      state: stream.state as S | undefined,
      version: stream.version,
      now,
      dataKey: unit.erased.has(stream.streamId) ? undefined : (stream.newDataKey ?? stream.loaded.dataKey),
      createdAt: stream.loaded.createdAt ?? (changed ? now : undefined),
      updatedAt: changed ? now : stream.loaded.updatedAt,
    };
  }
}

function readEvents<S, E extends DomainEvent>(
  rows: readonly EventRecord[],
  aggregate: Aggregate<S, E>,
): StoredEvent<E>[] {
  return rows.map((row) => readEvent(row, aggregate));
}

interface Change<E> {
  readonly streamId: string;
  readonly expectedVersion: number;
  readonly events: readonly E[];
  readonly options: SaveOptions;
}

type Carried<L, R> = L & { readonly result: R };
type Decided<E extends DomainEvent, R> = readonly E[] | Decision<E, R>;
