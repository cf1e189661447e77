import { ofTenant } from '@app/primitives/context';
import type { SqlExecutor } from '../database/sql-driver';
import { streamIdOf } from '../streams/stored-event';

/** How many streams have the same status. */
export interface StatusCount {
  readonly status: string;
  /** Its time of expiry has come. */
  readonly isPast: boolean;
  readonly count: number;
}

/** Reads one range of the primary key. @param beginning of the ids of the streams */
export function countByStatus(executor: SqlExecutor, category: string, beginning: string): Promise<StatusCount[]> {
  const from = streamIdOf(category, beginning);
  return executor.query<StatusCount>({
    name: 'status-counts',
    text: `select state->>'status' as status, coalesce((state->>'expiresAt')::timestamptz <= now(), false) as "isPast",
        count(*)::integer as count
      from streams where category = $1 and stream_id >= $2 and stream_id < $3 group by 1, 2`,
    values: [ofTenant(category), from, `${from}\u{10ffff}`],
  });
}
