import type { Aggregate, DomainEvent, StreamListQuery } from '../streams/aggregate';
import type { ListPosition } from './cursor';
import { madeBy } from '../streams/fold-version';
import type { Statement } from '../database/sql-driver';
import { instant } from '../database/sql-instant';
import { inRange } from './time-conditions';

export interface ListedRow {
  stream_id: string;
  version: number;
  state: unknown;
  fold_version: number;
  created_at: Date;
  updated_at: Date;
  /** What the list is in the order of, as cursors have it. */
  sorted_by: string;
  now: Date;
}

export const listedColumns = `stream_id, version, state, created_at, updated_at, now() as now, ${madeBy('streams')} as fold_version`;

/** What lists need to know of an aggregate. */
export interface ListedAggregate extends Pick<
  Aggregate<unknown, DomainEvent>,
  'category' | 'filterColumns' | 'isListedByIssue' | 'stateIndex'
> {
  /** The category that the tenant's streams have in the table; undefined for those of the issuer of the settings. */
  readonly ofTenant?: string | undefined;
}

/**
 * A page and one row more. One prepared statement per combination of filters: a filter that is not asked for must not
 * keep the index from being used. Members with a column are found by its index. Any other filter by the state reads
 * the rows in the order of the index until the page is full.
 */
export function listStatement(
  { category, ofTenant, filterColumns = {} }: ListedAggregate,
  query: StreamListQuery,
  after: ListPosition | undefined,
): Statement {
  const newest = query.order !== 'oldest';
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  let name = newest ? 'list-newest' : 'list-oldest';
  const conditions: string[] = [];
  const { parent } = query;
  // The streams of one parent are few: its index alone is the shortest way.
  const { columns, where } =
    parent === undefined && ofTenant === undefined ? inColumns(query.where, filterColumns) : { where: query.where };
  for (const [column, value] of columns ?? []) {
    name += `-${column}`;
    conditions.push(`${column} = ${bind(value)}`);
  }
  // The columns are filled for one category alone. Naming it as well would leave the planner the choice of an index in
  // which the rows that match may be far apart.
  if (conditions.length === 0) conditions.push(`category = ${bind(ofTenant ?? category)}`);
  if (parent !== undefined) {
    name += '-parent';
    conditions.push(`parent = ${bind(parent)}`);
  }
  if (where !== undefined) {
    name += '-where';
    conditions.push(`state @> ${bind(JSON.stringify(where))}::text::jsonb`);
  }
  if (query.issued !== undefined && parent === undefined) throw new Error('Lists by issue are those of listByIssue.');
  const times = [
    inRange('created', 'created_at', 'timestamptz', query.created, bind),
    inRange('issued', `(state->>'issuedAt') collate "C"`, 'text', query.issued, bind),
  ];
  for (const time of times) {
    conditions.push(...time.conditions);
    name = [name, ...time.names].join('-');
  }
  if (after !== undefined) {
    name += '-after';
    const [time, stream] = [bind(after.sortedBy), bind(after.streamId)];
    conditions.push(`(created_at, stream_id) ${newest ? '<' : '>'} (${time}::text::timestamptz, ${stream})`);
  }
  const direction = newest ? 'desc' : 'asc';
  const limit = `${bind(query.limit + 1)}::integer`;
  const text = inFullOrder(
    `select ${listedColumns}, ${instant('created_at')} as sorted_by
    from streams where ${conditions.join(' and ')}`,
    { by: 'created_at', direction, limit },
  );
  return { name, text, values };
}

/**
 * A page of a selection that an index has in the order of one column. Streams with the same value come in the order of their identifiers,
 * which no index has: all of the last value are read, however many they are beyond the page.
 */
export function inFullOrder(
  selection: string,
  { by, as = by, direction, limit }: { by: string; as?: string; direction: 'asc' | 'desc'; limit: string },
): string {
  return `select * from (${selection} order by ${by} ${direction} fetch first (${limit}) rows with ties) as listed
    order by ${as} ${direction}, stream_id ${direction} limit ${limit}`;
}

interface Split {
  /** Sorted, so that the order of the filters makes no other statement. */
  readonly columns: readonly (readonly [column: string, value: string | boolean])[];
  /** What has no column. */
  readonly where: StreamListQuery['where'];
}

function inColumns(where: StreamListQuery['where'], filterColumns: Readonly<Record<string, string>>): Split {
  if (where === undefined) return { columns: [], where };
  const columns: [string, string | boolean][] = [];
  const others: [string, string | boolean][] = [];
  for (const [member, value] of Object.entries(where)) {
    const column = filterColumns[member];
    if (column === undefined) others.push([member, value]);
    else columns.push([column, value]);
  }
  return { columns: columns.sort(), where: others.length > 0 ? Object.fromEntries(others) : undefined };
}
