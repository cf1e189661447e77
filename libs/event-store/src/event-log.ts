import type { Aggregate, DomainEvent, StoredEvent } from './aggregate';
import type { SqlExecutor } from './sql-driver';
import { categoryOf, eventColumns, type EventRecord, readEvent } from './stored-event';
import { type CommitPosition, firstPosition } from './subscription-position';

/** An event in the order in which readers get all of them. */
export interface PlacedEvent {
  readonly at: CommitPosition;
  readonly stored: StoredEvent;
}

interface ReadOptions {
  readonly limit: number;
  /** Events of other types come without their data and terms; all come with them when absent. */
  readonly types?: readonly string[] | undefined;
}

/** Every event that was ever stored, in commit order, with the terms of their streams. */
export class EventLog {
  constructor(
    private readonly executor: SqlExecutor,
    private readonly aggregates: ReadonlyMap<string, Aggregate<unknown, DomainEvent>>,
  ) {}

  /** The next events. */
  async read(
    after: CommitPosition,
    { limit, types }: ReadOptions,
    executor: SqlExecutor = this.executor,
  ): Promise<PlacedEvent[]> {
    const rows = await executor.query<EventRecord & CommitPosition>({
      name: 'events-in-commit-order',
      // Positions alone are handed out before commit: a reader that trusted them would skip what commits late. Below the oldest
      // running transaction nothing can appear any more.
      text: `select tx::text, ${eventColumns.replace('data', `case when asked then data else '{}' end as data`)},
          case when asked then (
            select jsonb_object_agg(term, s.state -> term) from streams s, unnest($4::text[]) as term
            where s.stream_id = events.stream_id and s.state ? term) end as terms
        from events, lateral (select $5::text[] is null or type = any($5::text[]) as asked) as wanted
        where (tx, position) > ($1::text::xid8, $2::text::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())
        order by events.tx, events.position limit $3::integer`,
      values: [after.tx, after.position, limit, this.terms(), types ?? null],
    });
    return rows.map((row) => ({
      at: { tx: row.tx, position: row.position },
      stored: readEvent(row, this.aggregates.get(categoryOf(row.stream_id))),
    }));
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
  async find(position: string): Promise<CommitPosition | undefined> {
    const [row] = await this.executor.query<CommitPosition>({
      name: 'event-at-position',
      text: 'select tx::text, position::text from events where position = $1::text::bigint',
      values: [position],
    });
    return row;
  }

  /** As `lagBehind`. */
  lag(after: CommitPosition): Promise<number> {
    return lagBehind(this.executor, after);
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
