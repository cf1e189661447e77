import { ofTenant } from '@app/primitives/context';
import type { SqlExecutor } from '../database/sql-driver';

/** How many streams were created in a week and have the same values of some members of their state. */
export interface WeekCount {
  /** The Monday, in UTC: `2026-11-23`. */
  readonly week: string;
  /** In the order of the members; null where a state has none. */
  readonly values: readonly (string | null)[];
  readonly count: number;
}

export interface WeekRange {
  readonly from: Date;
  readonly until: Date;
}

/** Reads one range of the index by creation. @param members names of the product's own code, at the top of the state */
export function countByWeek(
  executor: SqlExecutor,
  category: string,
  members: readonly string[],
  { from, until }: WeekRange,
): Promise<WeekCount[]> {
  const values = members.map((name) => `state->>'${name}'`).join(', ');
  return executor.query<WeekCount>({
    name: `week-counts-${members.join('-')}`,
    text: `select to_char(date_trunc('week', created_at at time zone 'utc'), 'YYYY-MM-DD') as week, array[${values}] as values,
        count(*)::integer as count
      from streams where category = $1 and created_at >= $2 and created_at < $3
      group by 1, 2 order by 1, 2`,
    values: [ofTenant(category), from, until],
  });
}
