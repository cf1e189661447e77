/** What of a table belongs to a tenant, and how it goes from one store to another. */
export interface MovedTable {
  readonly table: string;
  /** Those that have the same value in both stores. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** SQL of the condition for rows of the tenant. @param streams SQL of the condition that a column names a stream of it */
  readonly of: (mark: string, streams: (column: string) => string) => string;
  /** Columns that the other store fills by itself: SQL, by name. */
  readonly anew?: Readonly<Record<string, string>>;
  /** Rows are only ever added; what an earlier stay of the tenant has left is the beginning of what there is now. */
  readonly isHistory?: boolean;
  /** Whether rows may be removed by their age, so that an earlier stay has left some that are gone. */
  readonly ages?: boolean;
  /** Whether nothing of it is left at the store before. What is left there is history, which its checkpoints cover, and cannot be read. */
  readonly leaves?: boolean;
}

/** SQL of the highest position that was given out; there is none higher among the events. */
export const lastPosition = `coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'position')), 0)`;

/** The kinds of used values are found one after the other, each by the index. */
const kindsOf = (mark: string): string => `with recursive found (kind) as (
      (select kind from consumed order by kind limit 1)
      union all select (select kind from consumed as next where next.kind > found.kind order by kind limit 1)
        from found where found.kind is not null)
    select kind from found where kind like '%~${mark}'`;

/** Of the store itself. Events come first, since others name their positions. */
export const tablesOfStore: readonly MovedTable[] = [
  {
    table: 'events',
    columns: ['stream_id', 'version', 'type', 'data', 'metadata', 'recorded_at', 'proof'],
    key: ['stream_id', 'version'],
    of: (_mark, streams) => streams('stream_id'),
    isHistory: true,
  },
  {
    table: 'streams',
    columns: [
      ...['stream_id', 'category', 'parent', 'version', 'state', 'created_at', 'updated_at', 'head'],
      ...['fold_version', 'fold_upto'],
    ],
    key: ['stream_id'],
    of: (_mark, streams) => streams('stream_id'),
  },
  {
    table: 'consumed',
    columns: ['kind', 'value_hash', 'stream_id', 'expires_at', 'note', 'proof'],
    key: ['kind', 'value_hash'],
    of: (mark) => `kind in (${kindsOf(mark)})`,
  },
  {
    table: 'data_keys',
    columns: ['stream_id', 'sealed_key', 'created_at'],
    key: ['stream_id'],
    of: (_mark, streams) => streams('stream_id'),
    leaves: true,
  },
  {
    table: 'audit',
    columns: [
      ...['id', 'recorded_at', 'principal', 'client', 'action', 'object', 'outcome', 'request_id', 'count', 'tenant'],
    ],
    key: ['id'],
    of: (mark) => `tenant <> '' and tenant = '${mark}'`,
    isHistory: true,
    ages: true,
  },
];
