import type { Tenant } from '@app/primitives/context';
import type { SqlExecutor } from '../database/sql-driver';

/** More streams of one tenant cost more to compare than to be listed when somebody asks for them. */
export const few = 20;

/**
 * Of those of the tenants that have a few streams of a category, a text for each, by mark: another one after each change of one. One statement
 * for all; tenants with many are left out.
 */
export async function versionsOfFew(
  executor: SqlExecutor,
  category: string,
  tenants: readonly Pick<Tenant, 'mark'>[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await executor.query<{ mark: string; versions: string }>({
    name: 'versions-of-few',
    text: `select substr(r.category, strpos(r.category, '~') + 1) as mark, s.versions
      from unnest((select $1::text[])) as r (category)
      cross join lateral (select string_agg(stream_id || ' ' || version || ' ' || updated_at, ',' order by stream_id) as versions
        from (select stream_id, version, updated_at from streams where category = r.category limit ${few + 1}) as listed
        having count(*) <= ${few}) as s
      where s.versions is not null`,
    values: [tenants.map(({ mark }) => `${category}~${mark}`)],
  });
  return new Map(rows.map(({ mark, versions }) => [mark, versions]));
}
