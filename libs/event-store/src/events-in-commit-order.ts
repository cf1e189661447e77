import type { Aggregate, DomainEvent } from './aggregate';
import type { SqlExecutor } from './sql-driver';
import { eventColumns, type EventRecord } from './stored-event';
import type { CommitPosition } from './subscription-position';

export type EventRow = EventRecord & CommitPosition;

/** The next events in commit order, with the terms of their streams. */
export function readInCommitOrder(
  executor: SqlExecutor,
  after: CommitPosition,
  limit: number,
  terms: readonly string[],
): Promise<EventRow[]> {
  return executor.query<EventRow>({
    name: 'events-in-commit-order',
    // Positions alone are handed out before commit: a reader that trusted them would skip what commits late. Below the oldest
    // running transaction nothing can appear any more.
    text: `select tx::text, ${eventColumns},
        (select jsonb_object_agg(term, s.state -> term) from streams s, unnest($4::text[]) as term
          where s.stream_id = events.stream_id and s.state ? term) as terms
      from events
      where (tx, position) > ($1::text::xid8, $2::text::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())
      order by events.tx, events.position limit $3::integer`,
    values: [after.tx, after.position, limit, terms],
  });
}

/** Every term of any kind of stream. */
export function termsOf(aggregates: Iterable<Aggregate<unknown, DomainEvent>>): string[] {
  return [...new Set([...aggregates].flatMap(({ terms = [] }) => terms))];
}
