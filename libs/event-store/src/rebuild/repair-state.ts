import { isDeepStrictEqual } from 'node:util';
import type { SqlExecutor, Statement } from '../database/sql-driver';
import { type Aggregates, type Folded, foldStream, readStream, type StoredStream } from '../passes/stream-pages';

/** Stores what the events say; when an append was faster, reads and folds again, for it may have built on the wrong state. */
export async function repairState(
  executor: SqlExecutor,
  differing: StoredStream,
  aggregates: Aggregates,
): Promise<void> {
  let stream: StoredStream | undefined = differing;
  while (stream !== undefined) {
    const { stream_id, folded }: StoredStream = stream;
    const fresh = foldStream(stream, aggregates);
    if (isDeepStrictEqual(fresh, folded)) return;
    const stored = await executor.query(
      fresh === null ? removal(stream_id, folded) : replacement(stream_id, folded, fresh),
    );
    if (stored.length > 0) return;
    stream = await readStream(executor, stream_id);
  }
}

// Every append changes version or time of the row. Its own columns are compared once the row is locked; a look into the events
// would be answered from before a writer that the statement had to wait for.
function removal(streamId: string, read: Folded | null): Statement {
  return {
    name: 'rebuild-remove',
    text: `delete from streams where stream_id = $1 and version = $2::integer and updated_at = $3::text::timestamptz
      returning stream_id`,
    values: [streamId, read?.version ?? null, read?.updatedAt ?? null],
  };
}

function replacement(streamId: string, read: Folded | null, fresh: Folded): Statement {
  return {
    name: 'rebuild-store',
    text: `insert into streams as s (stream_id, category, parent, version, state, created_at, updated_at, head, fold_version,
        fold_upto)
      values ($1, $2, $3, $4::integer, $5::text::jsonb, $6::text::timestamptz, $7::text::timestamptz, decode($8, 'hex'),
        $9::integer, $4::integer)
      on conflict (stream_id) do update
      set category = excluded.category, parent = excluded.parent, version = excluded.version, state = excluded.state,
        created_at = excluded.created_at, updated_at = excluded.updated_at,
        head = excluded.head, fold_version = excluded.fold_version, fold_upto = excluded.fold_upto
      where s.version = $10::integer and s.updated_at = $11::text::timestamptz
      returning stream_id`,
    values: [
      streamId,
      fresh.category,
      fresh.parent,
      fresh.version,
      JSON.stringify(fresh.state),
      fresh.createdAt,
      fresh.updatedAt,
      fresh.head,
      fresh.foldVersion,
      read?.version ?? null,
      read?.updatedAt ?? null,
    ],
  };
}
