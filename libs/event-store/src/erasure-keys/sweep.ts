import { instant } from '../database/sql-instant';
import type { SqlExecutor } from '../database/sql-driver';

const page = 5_000;
/**
 * After so long a time without a data key, the stream of an erasure key was never stored, and no backup of the store that is still
 * restored has it.
 */
const after = '30 days';

/** Removes the keys of streams that were never stored. Each key is looked up once. */
export async function sweepKeys(store: SqlExecutor, keys: SqlExecutor): Promise<void> {
  for (;;) {
    const rows = await keys.query<{ streamId: string; madeAt: string }>({
      name: 'erasure-keys-old',
      text: `select stream_id as "streamId", ${instant('made_at')} as "madeAt" from erasure_keys
        where made_at > (select swept_upto from followed_store where singleton) and made_at < now() - interval '${after}'
        order by made_at limit ${page}`,
      values: [],
    });
    const last = rows.at(-1);
    if (!last) return;
    // One statement makes at most some hundreds at one time, so that a whole page of them does not occur.
    const whole = rows.length < page ? rows : rows.filter(({ madeAt }) => madeAt < last.madeAt);
    const upto = whole.at(-1)?.madeAt ?? last.madeAt;
    const unused = await withoutDataKey(
      store,
      whole.map(({ streamId }) => streamId),
    );
    await keys.query({
      name: 'erasure-keys-sweep',
      // A key that was asked for again meanwhile has a later time.
      text: `with swept as (delete from erasure_keys where stream_id = any($1::text[]) and made_at <= $2::timestamptz)
        update followed_store set swept_upto = greatest(swept_upto, $2::timestamptz) where singleton`,
      values: [unused, upto],
    });
    if (rows.length < page) return;
  }
}

async function withoutDataKey(store: SqlExecutor, streamIds: readonly string[]): Promise<string[]> {
  const rows = await store.query<{ streamId: string }>({
    name: 'data-keys-missing',
    text: `select stream_id as "streamId" from unnest((select $1::text[])) as r (stream_id)
      where (select true from data_keys k where k.stream_id = r.stream_id collate "C" limit 1) is null`,
    values: [streamIds],
  });
  return rows.map(({ streamId }) => streamId);
}
