import type { Aggregate, DomainEvent, StoredEvent } from '../streams/aggregate';
import type { SqlExecutor } from '../database/sql-driver';
import { aggregateOf, eventColumns, markOf, type EventRecord, readEvent } from '../streams/stored-event';
import { type CommitPosition, firstPosition } from './subscription-position';

/** An event in the order in which readers get all of them. */
export interface PlacedEvent {
  readonly at: CommitPosition;
  readonly stored: StoredEvent;
}

/** Which events a reader gets; all when it names nothing. */
export interface Wanted {
  /** Of these types alone. */
  readonly types?: readonly string[] | undefined;
  /** Those whose data has this member alone. */
  readonly member?: string | undefined;
}

interface ReadOptions extends Wanted {
  /** How many events to look at. */
  readonly limit: number;
}

export interface EventPage {
  /** The wanted ones. */
  readonly events: readonly PlacedEvent[];
  /** Of the last event that was looked at; where the page began when there is none. */
  readonly reached: CommitPosition;
  /** Whether as many were looked at as might be: there may be more. */
  readonly isFull: boolean;
}

interface ChangedStreams extends Pick<EventPage, 'reached' | 'isFull'> {
  readonly streams: ReadonlySet<string>;
}

type LogRow = EventRecord & CommitPosition & { readonly looked: number; readonly wanted: boolean };

/** What comes behind the position of the first two values, as far as nothing can come before it any more. */
const behind = '(tx, position) > ($1::text::xid8, $2::text::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())';

/** Every event that was ever stored, in commit order, with the terms of their streams. */
export class EventLog {
  constructor(
    private readonly executor: SqlExecutor,
    private readonly aggregates: ReadonlyMap<string, Aggregate<unknown, DomainEvent>>,
  ) {}

  /** The wanted ones among the next events. */
  async read(
    after: CommitPosition,
    { limit, types, member }: ReadOptions,
    executor: SqlExecutor = this.executor,
  ): Promise<EventPage> {
    const rows = await executor.query<LogRow>({
      name: 'events-in-commit-order',
      // Positions alone are handed out before commit: a reader that trusted them would skip what commits late. Below the oldest
      // running transaction nothing can appear any more. The last row stands for how far the page goes, wanted or not.
      text: `select tx::text, ${eventColumns}, looked::integer, wanted,
          (select jsonb_object_agg(term, s.state -> term) from streams s, unnest($4::text[]) as term
            where wanted and s.stream_id = page.stream_id and s.state ? term) as terms
        from (
          select *, row_number() over in_order as looked, lead(position) over in_order is null as is_last,
            ($5::text[] is null or type = any($5::text[])) and ($6::text is null or data ? $6::text) as wanted
          from (
            select * from events
            where ${behind}
            order by tx, position limit $3::integer) as next
          window in_order as (order by tx, position)) as page
        where wanted or is_last
        order by page.tx, page.position`,
      values: [after.tx, after.position, limit, this.terms(), types ?? null, member ?? null],
    });
    const last = rows.at(-1);
    return {
      events: rows.filter(({ wanted }) => wanted).map((row) => this.placed(row)),
      reached: last ? { tx: last.tx, position: last.position } : after,
      isFull: last?.looked === limit,
    };
  }

  /** The streams, as `category-id`, that the next events are of. */
  async changedStreams(after: CommitPosition, limit: number): Promise<ChangedStreams> {
    const rows = await this.executor.query<Pick<EventRecord, 'stream_id'> & CommitPosition>({
      name: 'streams-in-commit-order',
      text: `select tx::text, position::text, stream_id from events
        where ${behind}
        order by events.tx, events.position limit $3::integer`,
      values: [after.tx, after.position, limit],
    });
    const last = rows.at(-1);
    return {
      streams: new Set(rows.map(({ stream_id: stream }) => stream)),
      reached: last ? { tx: last.tx, position: last.position } : after,
      isFull: rows.length === limit,
    };
  }

  /** The end of what `read` gives at the moment. */
  async end(): Promise<CommitPosition> {
    const [row] = await this.executor.query<CommitPosition>({
      name: 'events-end',
      text: `select tx::text, position::text from events where tx < pg_snapshot_xmin(pg_current_snapshot())
        order by events.tx desc, events.position desc limit 1`,
      values: [],
    });
    return row ?? firstPosition;
  }

  /** Where the event with this `StoredEvent.position` is; `undefined` when there is none. */
  async find(position: string): Promise<(CommitPosition & { readonly tenant: string }) | undefined> {
    const [row] = await this.executor.query<CommitPosition & Pick<EventRecord, 'stream_id'>>({
      name: 'event-at-position',
      text: 'select tx::text, position::text, stream_id from events where position = $1::text::bigint',
      values: [position],
    });
    return row && { tx: row.tx, position: row.position, tenant: markOf(row.stream_id) };
  }

  /** The name of the stream, and the version, of the last event of a tenant up to this position; `undefined` when it is far behind. */
  async lastOf(
    mark: string,
    position: string,
  ): Promise<{ readonly streamId: string; readonly version: number } | undefined> {
    const [row] = await this.executor.query<{ streamId: string; version: number }>({
      name: 'event-of-tenant-before',
      // In the order of the index throughout, so that it ends with the first one that is found.
      text: `select stream_id as "streamId", version from (
          select stream_id, version, tx, position from events
          where (tx, position) <= ((select tx from events where position = $1::text::bigint), $1::text::bigint)
          order by tx desc, position desc limit 10000) as before
        where split_part(split_part(stream_id, '-', 1), '~', 2) = $2
        order by tx desc, position desc limit 1`,
      values: [position, mark],
    });
    return row;
  }

  /** The position of an event that is known by its name. */
  async positionOf({
    streamId,
    version,
  }: {
    readonly streamId: string;
    readonly version: number;
  }): Promise<string | undefined> {
    const [row] = await this.executor.query<{ position: string }>({
      name: 'event-position',
      text: 'select position::text from events where stream_id = $1 and version = $2::integer',
      values: [streamId, version],
    });
    return row?.position;
  }

  /** As `lagBehind`. */
  lag(after: CommitPosition): Promise<number> {
    return lagBehind(this.executor, after);
  }

  private placed(row: LogRow): PlacedEvent {
    return {
      at: { tx: row.tx, position: row.position },
      stored: readEvent(row, this.aggregates.get(aggregateOf(row.stream_id))),
    };
  }

  private terms(): string[] {
    return [...new Set([...this.aggregates.values()].flatMap(({ terms = [] }) => terms))];
  }
}

/** Seconds since the oldest event behind this position was stored, by the database's clock; 0 when there is none. */
export async function lagBehind(executor: SqlExecutor, { tx, position }: CommitPosition): Promise<number> {
  const [oldest] = await executor.query<{ lag: number }>({
    name: 'events-lag',
    text: `select extract(epoch from clock_timestamp() - recorded_at)::float8 as lag from events
      where (tx, position) > ($1::text::xid8, $2::text::bigint) order by tx, position limit 1`,
    values: [tx, position],
  });
  return Math.max(0, oldest?.lag ?? 0);
}
