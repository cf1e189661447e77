import type { SqlExecutor } from '../database/sql-driver';

/**
 * SQL of a text that changes when the events that are stored may no longer be all that were: after a restore, on another server,
 * in another database or in other tables, and when a standby has taken over. Of a database whose files were put back while it was stopped, it
 * does not.
 */
export const presentHistory = `concat_ws('/', (select system_identifier from pg_control_system()),
      -- The number of the timeline begins the name of each WAL file.
      substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
      (select oid from pg_database where datname = current_database()), 'status_changes'::regclass::oid)`;

/** `presentHistory` as it is. */
export async function historyMark(executor: SqlExecutor): Promise<string> {
  const [row] = await executor.query<{ mark: string }>({
    name: 'history-mark',
    text: `select ${presentHistory} as mark`,
    values: [],
  });
  if (row === undefined) throw new Error('a query without a row');
  return row.mark;
}
