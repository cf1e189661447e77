import type { SqlExecutor } from './sql-driver';

/** How many connections other processes of the service have to the database. Those are older than this process. */
export async function othersConnected(executor: SqlExecutor): Promise<number> {
  const [others] = await executor.query<{ count: number }>({
    name: 'others-connected',
    text: `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name = current_setting('application_name')
        and backend_start < clock_timestamp() - make_interval(secs => $1::text::float8)`,
    values: [String(process.uptime())],
  });
  return others?.count ?? 0;
}
