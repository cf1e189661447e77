import { SqlError, type SqlDriver, type SqlExecutor } from '../database/sql-driver';

/**
 * A logical backup carries the transaction ids of the server it was taken from. On a new server, which counts from the beginning, they
 * lie in the future: readers would wait for them and skip what is appended meanwhile. Moves the whole history before the first
 * transaction of this server; subscriptions go on at the first event they may not have handled.
 */
export async function adoptRestoredHistory(driver: SqlDriver): Promise<void> {
  if (!(await isFromAnotherServer(driver))) return;
  try {
    await driver.transaction(async (tx) => {
      await tx.script(
        'set local statement_timeout = 0; set local lock_timeout = 0; lock table events in exclusive mode',
      );
      if (!(await isFromAnotherServer(tx))) return; // another process has done it meanwhile
      await tx.script(`
        update subscriptions s set tx = '0', position = coalesce(
          (select min(e.position) - 1 from events e where (e.tx, e.position) > (s.tx, s.position)),
          (select max(e.position) from events e));
        update events set tx = '0'`);
    });
  } catch (error) {
    // 42501: insufficient privilege
    if (!(error instanceof SqlError) || error.code !== '42501') throw error;
    throw new Error('The database was restored on a new server: start once as the owner of its tables.', {
      cause: error,
    });
  }
}

async function isFromAnotherServer(executor: SqlExecutor): Promise<boolean> {
  const [row] = await executor.query<{ ahead: boolean | null }>({
    name: 'history-ahead',
    text: `select (select tx from events order by tx desc, position desc limit 1) >= pg_snapshot_xmax(pg_current_snapshot()) as ahead`,
    values: [],
  });
  return row?.ahead === true;
}
