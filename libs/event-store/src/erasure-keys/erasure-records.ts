import { erasureEvent } from '../erasure/personal-data-erased';
import { instant } from '../database/sql-instant';
import type { SqlExecutor } from '../database/sql-driver';
import { type ErasedStream, hashOfStream } from './erased-streams';

const page = 1_000;

/** Where a page of erasures begins: behind this one. */
export type AfterErasure = Pick<ErasedStream, 'streamId' | 'erasedAt'>;

/** The erasures that a store has recorded after a time, the oldest first, in pages. @param since text as of `ErasedStream` */
export async function* recordedErasures(store: SqlExecutor, since: string): AsyncGenerator<ErasedStream[], void> {
  for (let after: AfterErasure = { streamId: '', erasedAt: since }; ;) {
    const rows = await store.query<ErasedStream>({
      name: 'erasures-recorded',
      text: `select stream_id as "streamId", ${instant('recorded_at')} as "erasedAt" from events
        where type = '${erasureEvent}' and recorded_at >= $1::timestamptz
          and (recorded_at, stream_id) > ($1::timestamptz, $2::text collate "C")
        order by recorded_at, stream_id limit ${page}`,
      values: [after.erasedAt, after.streamId],
    });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    after = last;
  }
}

/** The erasures that a store has recorded of these streams. */
export function erasuresOf(store: SqlExecutor, streamIds: readonly string[]): Promise<ErasedStream[]> {
  return store.query<ErasedStream>({
    name: 'erasures-of-streams',
    text: `select e.* from unnest((select $1::text[])) as r (stream_id)
      cross join lateral (
        select stream_id as "streamId", ${instant('recorded_at')} as "erasedAt" from events
        where events.stream_id = r.stream_id collate "C" and type = '${erasureEvent}'
        order by version desc limit 1) as e`,
    values: [streamIds],
  });
}

/** Those of the erasures that the database of erasure keys does not have yet. */
export async function unknownErasures(
  keys: SqlExecutor,
  erased: readonly ErasedStream[],
): Promise<readonly ErasedStream[]> {
  const hashes = erased.map(({ streamId }) => hashOfStream(streamId));
  const rows = await keys.query<{ hash: string }>({
    name: 'erasures-known',
    text: `select r.hash from unnest((select $1::text[]), (select $2::text[])) as r (hash, at)
      cross join lateral (select erased_at from erasures where stream_hash = decode(r.hash, 'hex') limit 1) as e
      where e.erased_at >= r.at::timestamptz`,
    values: [hashes, erased.map(({ erasedAt }) => erasedAt)],
  });
  const known = new Set(rows.map(({ hash }) => hash));
  return erased.filter((_, index) => !known.has(hashes[index] ?? ''));
}
