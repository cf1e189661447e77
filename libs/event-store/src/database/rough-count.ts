import type { SqlExecutor } from './sql-driver';

/** Bytes of a usual event with its row. */
const usualEvent = 700;

/** How many events there are, as the server has last estimated it, else by the size of the table; partitions count. */
export async function roughCount(executor: SqlExecutor): Promise<number> {
  const [row] = await executor.query<{ count: number }>({
    name: 'rough-count',
    text: `select coalesce(sum(case when c.reltuples > 0 then c.reltuples::float8
        else pg_table_size(c.oid) / ${usualEvent}.0 end), 0)::float8 as count
      from (select 'events'::regclass as oid union select inhrelid from pg_inherits where inhparent = 'events'::regclass) as t
      join pg_class c on c.oid = t.oid where c.relkind = 'r'`,
    values: [],
  });
  return Math.round(row?.count ?? 0);
}
