import type { Awaitable } from '@app/primitives/awaitable';

/** One fact of a stream. `type` is its name; everything else must survive JSON (no Date, no Buffer, no undefined that means something). */
export interface DomainEvent {
  readonly type: string;
}

/** What an old event looks like to an upcaster: `version` is the `eventVersion` it was written with. */
export interface RecordedData {
  readonly type: string;
  readonly version: number;
  readonly data: Record<string, unknown>;
}

/** How the events of one kind of stream fold into a state. Pure: the same events always give the same state. */
export interface Aggregate<S, E extends DomainEvent> {
  /** camelCase or snake_case, no dash: a stream is called `${category}-${id}`. */
  readonly category: string;
  evolve(state: S | undefined, event: E): S;
  /**
   * 1 by default. To be raised with a change of `evolve` by which the same events give another state, and with one that adds
   * types of events or members of the state: states of other versions are folded again from their events when they are read,
   * by an earlier release too, and those of earlier versions once after the upgrade.
   */
  readonly foldVersion?: number;
  /** Stored next to the state for indexed child lists (a credential names its offer). */
  parent?(state: S): string | undefined;
  /**
   * The columns of `streams` that hold members of the state by which lists are filtered; a migration fills them for this
   * category alone. Lists filtered by other members scan the states.
   */
  readonly filterColumns?: Readonly<Record<string, 'template_id' | 'status'>>;
  /**
   * The index by status and time of expiry that `listInStates` reads. The state has both as `status` and `expiresAt`, that of
   * an authorization has `completableUntil`.
   */
  readonly stateIndex?:
    'offers_by_state' | 'authorization_requests_by_status' | 'authorizations_by_status' | 'approvals_by_status';
  /** Whether `listByIssue` has indexes for it. The states have the time as `issuedAt`, those that were issued. */
  readonly isListedByIssue?: boolean;
  /** Members of the state, fixed since its first event, that come with the events which are read in commit order. */
  readonly terms?: readonly string[];
  /**
   * Of the shape of each type of event, or of all; 1 by default. A type that was added after version 0.2.0 begins with 2: a release
   * answers 503 for streams with events of later versions than it knows, instead of reading past them.
   */
  readonly eventVersion?: number | Readonly<Record<string, number>>;
  /** Turns an event of an earlier `eventVersion` into today's shape; called for older versions only. */
  upcast?(event: RecordedData): { type: string; data: Record<string, unknown> };
}

export interface StoredEvent<E extends DomainEvent = DomainEvent> {
  /** A number that no other event of the store has. Later events may have lower ones. */
  readonly position: string;
  readonly category: string;
  /** The mark of the tenant; empty for those of the issuer of the settings. */
  readonly tenant: string;
  /** The aggregate's id, without the category. */
  readonly id: string;
  readonly version: number;
  /** Already in today's shape. */
  readonly event: E;
  readonly recordedAt: Date;
  /** Events of one unit of work share this id. */
  readonly unit: string;
  /** `Aggregate.terms` of the stream; absent unless the event was read in commit order. */
  readonly terms?: Readonly<Record<string, unknown>>;
}

/** A value that may be used once over all replicas, ever (until `expiresAt` has long passed). */
export interface SingleUse {
  readonly kind: string;
  readonly hash: Buffer;
  readonly expiresAt?: Date | undefined;
  /** The row remembers the stream saved with it: `loadByHandle` finds the stream by this value. */
  readonly bindsStream?: boolean | undefined;
  /** Text kept with the value and forgotten with it: `EventStore.noteOf` reads it. Sealed when it is confidential. */
  readonly note?: string | undefined;
}

export interface Loaded<S> {
  /** `undefined` exactly when `version` is 0. */
  readonly state: S | undefined;
  /** 0 = no such stream. */
  readonly version: number;
  /** The database's clock: the only one that judges expiry. */
  readonly now: Date;
  /** The wrapped data key saved with the stream; `undefined` when there was none or it has been destroyed. */
  readonly dataKey: Buffer | undefined;
  readonly createdAt: Date | undefined;
  readonly updatedAt: Date | undefined;
}

/** A stream that was found by a value bound to it. */
export interface FoundStream<S> extends Loaded<S> {
  readonly id: string;
  readonly state: S;
}

export interface Saved<S> {
  readonly state: S;
  readonly version: number;
}

export interface SaveOptions {
  readonly consume?: readonly SingleUse[] | undefined;
  /** Wrapped data key of this stream, given once. */
  readonly dataKey?: Buffer | undefined;
}

/** What a decision about one stream appends to it and uses up, with the result of the decision. */
export interface Decision<E extends DomainEvent, R> extends SaveOptions {
  readonly events: readonly E[];
  readonly result: R;
}

export interface UpdateOptions {
  /** How often at most the stream is decided on while other writers are faster; 4 by default. Ignored inside a unit of work. */
  readonly attempts?: number | undefined;
  /** Where this process knows nothing of the stream it is presumed to be new, until its first event shows the contrary. */
  readonly isUsuallyNew?: boolean | undefined;
}

/** Top-level members of a state with the values they have to have. */
export type StateMatch = Readonly<Record<string, string | boolean>>;

/** From a time on, until before another one. */
export interface TimeRange {
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface StreamListQuery {
  readonly parent?: string | undefined;
  readonly where?: StateMatch | undefined;
  /** When the stream began. */
  readonly created?: TimeRange | undefined;
  /** Of the streams of one parent only: the `issuedAt` of the state. For others there is `listByIssue`. */
  readonly issued?: TimeRange | undefined;
  /** By creation; `newest` by default. */
  readonly order?: 'oldest' | 'newest' | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** All streams that have a status, or those whose expiry has or has not come by the database's clock. */
export interface StatusRange {
  readonly status: string;
  readonly expiry?: 'past' | 'future' | undefined;
}

/** Streams that have one of these statuses. */
export interface StateListQuery {
  readonly statuses: readonly (string | StatusRange)[];
  /** Of the statuses that are not a range by themselves; all when absent. */
  readonly expiry?: StatusRange['expiry'];
  /** What is further asked for is looked for in the rows of the index, until the page is full. */
  readonly where?: StateMatch | undefined;
  readonly created?: TimeRange | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Streams whose state has an `issuedAt`; all of them, or those with one value of a member that has an index. */
export interface IssueListQuery {
  readonly by?: { readonly member: 'signingKeyId' | 'validity'; readonly value: string } | undefined;
  readonly issued?: TimeRange | undefined;
  /** What is further asked for is looked for in the rows of the index, until the page is full. */
  readonly where?: StateMatch | undefined;
  readonly created?: TimeRange | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Listed<S> {
  readonly id: string;
  readonly state: S;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Page<S> {
  readonly items: Listed<S>[];
  readonly nextCursor: string | null;
  /** The database's clock. */
  readonly now: Date;
}

export interface Repository<S, E extends DomainEvent> {
  /** Inside a unit of work it sees what the unit has saved so far. */
  load(id: string): Awaitable<Loaded<S>>;
  /**
   * Finds the stream bound to a value (`SingleUse.bindsStream`) that has not expired by the database's clock; one statement.
   * @param mayBeKept outside a unit of work, what this process wrote or read last will do: the caller only prepares an `update`
   */
  loadByHandle(kind: string, valueHash: Buffer, mayBeKept?: boolean): Awaitable<FoundStream<S> | undefined>;
  /**
   * The streams bound to values that begin with one of these prefixes, as those of one reference do, in no order. Values that have expired
   * count no more. Does not see an open unit's writes.
   * @param most streams
   */
  findBound(kind: string, prefixes: readonly Buffer[], most: number): Promise<readonly FoundStream<S>[]>;
  /**
   * Appends to the unit of work, or makes one when there is none.
   * Throws `ConflictError` when the stream is not at `expectedVersion`, `AlreadyConsumedError` when a value was used before.
   */
  save(id: string, expectedVersion: number, events: readonly E[], options?: SaveOptions): Awaitable<Saved<S>>;
  /**
   * Loads, decides and saves what was decided, in one unit of work; nothing is written when there is nothing to save. After a conflict
   * the stream is reloaded and decided on again, so `decide` has no other effects; it may throw, with nothing stored.
   * The stream may first be presumed to be what this process wrote or read last. That carries a decision that appends, which
   * fails if it is wrong; on any other outcome the stream is read, and decided on again.
   * Returns the stream with the change. Throws `ConflictError` after the last attempt, and what `save` throws.
   */
  update(
    id: string,
    decide: (stream: Loaded<S>) => Awaitable<readonly E[]>,
    options?: UpdateOptions,
  ): Awaitable<Loaded<S>>;
  update<R>(
    id: string,
    decide: (stream: Loaded<S>) => Awaitable<Decision<E, R>>,
    options?: UpdateOptions,
  ): Awaitable<Loaded<S> & { readonly result: R }>;
  /** The same for the stream bound to a value; `undefined`, without a decision, when `loadByHandle` finds none. */
  updateByHandle<R>(
    kind: string,
    valueHash: Buffer,
    decide: (stream: FoundStream<S>) => Awaitable<Decision<E, R>>,
    options?: UpdateOptions,
  ): Awaitable<(FoundStream<S> & { readonly result: R }) | undefined>;
  /** Keyset pages by creation; cost does not grow with depth. Throws `InvalidCursorError`. Does not see an open unit's writes. */
  list(query: StreamListQuery): Promise<Page<S>>;
  /**
   * Keyset pages by expiry, the latest first; cost grows neither with depth nor with what does not match. Needs a
   * `stateIndex`. Throws `InvalidCursorError`, also for a cursor of `list`. Does not see an open unit's writes.
   */
  listInStates(query: StateListQuery): Promise<Page<S>>;
  /**
   * Keyset pages by issue, the latest first; cost does not grow with depth. Needs `isListedByIssue`. Throws
   * `InvalidCursorError`, also for a cursor of `list`. Does not see an open unit's writes.
   */
  listByIssue(query: IssueListQuery): Promise<Page<S>>;
  /** How many streams name this parent. Does not see an open unit's writes. */
  countChildren(parent: string): Promise<number>;
  /** The stream with its stored history, by one statement. Does not see an open unit's writes. */
  loadWithEvents(id: string): Promise<Loaded<S> & { readonly events: readonly StoredEvent<E>[] }>;
  /** The stored history of one stream, oldest first. Does not see an open unit's writes. */
  events(id: string): Promise<readonly StoredEvent<E>[]>;
}
