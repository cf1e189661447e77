import type { SqlExecutor } from '../database/sql-driver';

/**
 * How far subscriptions are behind, in seconds, whichever process reads for them: the age of the oldest event behind the
 * checkpoint, by the database's clock.
 */
export async function subscriptionLags(
  executor: SqlExecutor,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await executor.query<{ name: string; lag: number }>({
    name: 'subscription-lags',
    text: `select n.name, coalesce(extract(epoch from clock_timestamp() - oldest.recorded_at), 0)::float8 as lag
      from unnest($1::text[]) as n (name)
      left join lateral (select tx, position from subscriptions where subscriptions.name = n.name limit 1) as s on true
      left join lateral (
        select recorded_at from events e
        where (e.tx, e.position) > (coalesce(s.tx, '0'::xid8), coalesce(s.position, 0))
        order by e.tx, e.position limit 1) as oldest on true`,
    values: [names],
  });
  return new Map(rows.map(({ name, lag }) => [name, Math.max(0, lag)]));
}
