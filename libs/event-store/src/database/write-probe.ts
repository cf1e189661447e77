import { sqlStateOf } from '../errors';
import type { SqlExecutor } from './sql-driver';

/** Why a database takes no writes. `untried`: the role lacks a right that only the attempt needs. */
export type WriteFault = 'standby' | 'read-only' | 'disk-full' | 'refused' | 'untried';

/**
 * Writes as the service does, and leaves no row: a record of the write-ahead log, committed and so flushed, and a megabyte of
 * temporary file where tables are, because a table that grows needs space there. Where files of that size are forbidden
 * (`temp_file_limit`), that part is left out.
 * @param timeout milliseconds
 * @returns why nothing could be written, with what the database says of it; undefined when all was
 */
export async function tryWrite(
  executor: SqlExecutor,
  timeout?: number,
): Promise<{ readonly fault: WriteFault; readonly error?: unknown } | undefined> {
  try {
    const [row] = await executor.query<{ standby: boolean; read_only: boolean }>({
      name: 'write-probe',
      // The series is kept in memory as long as it fits there, hence the little memory that is left to it first.
      text: `with memory as (
          select set_config('work_mem', '64kB', true) as little, set_config('temp_tablespaces', '', true)),
        asked as (select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only)
        select standby, read_only,
          (select count(*)::integer from memory, lateral generate_series(1, case
            when pg_size_bytes(current_setting('temp_file_limit')) between 0 and 2 * 1024 * 1024 then 0
            else 50000 end + 0 * length(little))) as spilled,
          case when standby or read_only then null
            else pg_logical_emit_message(true, 'sealwright', 'probe')::text end as written
        from asked`,
      values: [],
      timeout,
    });
    if (row?.standby === true) return { fault: 'standby' };
    return row?.read_only === true ? { fault: 'read-only' } : undefined;
  } catch (error) {
    return { fault: faultOf(sqlStateOf(error)), error };
  }
}

function faultOf(state: string | undefined): WriteFault {
  switch (state) {
    case '53100':
      return 'disk-full';
    case '25006':
      return 'read-only';
    // Insufficient privilege, and no such function: databases that only speak as PostgreSQL does.
    case '42501':
    case '42883':
      return 'untried';
    default:
      return 'refused';
  }
}
