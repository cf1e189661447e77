import type { ListQuery } from './aggregate';
import type { ListPosition } from './cursor';
import type { Statement } from './sql-driver';

export interface ListedRow {
  stream_id: string;
  version: number;
  state: unknown;
  created_at: Date;
  updated_at: Date;
  /** The time of creation to the microsecond, which a Date cannot hold. */
  created: string;
  now: Date;
}

/**
 * A page and one row more. One prepared statement per combination of filters: a filter that is not asked for must not
 * keep the index from being used. What filters by the state looks at the rows in the order of the index until the page
 * is full; an index over states would have to be written with every event.
 */
export function listStatement(category: string, query: ListQuery, after: ListPosition | undefined): Statement {
  const newest = query.order !== 'oldest';
  const values: unknown[] = [category];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  let name = newest ? 'list-newest' : 'list-oldest';
  let conditions = 'category = $1';
  const { parent, where, whereNot, whereTime } = query;
  if (parent !== undefined) {
    name += '-parent';
    conditions += ` and parent = ${bind(parent)}`;
  }
  if (where !== undefined) {
    name += '-where';
    const matches = [where].flat().map((match) => JSON.stringify(match));
    conditions += ` and state @> any(${bind(matches)}::text[]::jsonb[])`;
  }
  if (whereNot !== undefined) {
    name += '-not';
    conditions += ` and not state @> ${bind(JSON.stringify(whereNot))}::text::jsonb`;
  }
  if (whereTime !== undefined) {
    name += `-${whereTime.is}`;
    const comparison = whereTime.is === 'past' ? '<=' : '>';
    conditions += ` and (state->>${bind(whereTime.member)}::text)::timestamptz ${comparison} now()`;
  }
  if (after !== undefined) {
    name += '-after';
    const [time, stream] = [bind(after.createdAt), bind(after.streamId)];
    conditions += ` and (created_at, stream_id) ${newest ? '<' : '>'} (${time}::text::timestamptz, ${stream})`;
  }
  const direction = newest ? 'desc' : 'asc';
  const limit = bind(query.limit + 1);
  const text = `select stream_id, version, state, created_at, updated_at, now() as now,
      to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created
    from streams where ${conditions} order by created_at ${direction}, stream_id ${direction} limit ${limit}`;
  return { name, text, values };
}
