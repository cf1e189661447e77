import { isDeepStrictEqual } from 'node:util';
import { type Finding, type Watch } from './finding';
import { provenEvents } from './proven-events';
import type { Proofs } from './proofs';
import type { SqlDriver, Statement } from './sql-driver';
import {
  type Aggregates,
  type Folded,
  foldStream,
  readStream,
  type StoredStream,
  streamPages,
  UnfoldableError,
} from './stream-pages';
import { missingValues, restoreValues } from './used-value-rows';

export interface Rebuilt {
  readonly streams: number;
  readonly events: number;
  /** Stream ids whose stored state was not what their events say. */
  readonly differing: string[];
  /** How many used values were made again. */
  readonly restored: number;
  /** Streams that were left as they are. */
  readonly findings: Finding[];
}

/**
 * Folds every stream again from its events, a page of streams at a time, and stores what differed, with the used values that
 * are missing. Each page is read by one statement, and a state is replaced only while it is the one that was read, so
 * that writers at work make no difference.
 */
export async function rebuildStates(
  driver: SqlDriver,
  { aggregates, proofs }: { readonly aggregates: Aggregates; readonly proofs: Proofs | undefined },
  watch: Watch,
): Promise<Rebuilt> {
  const differing: string[] = [];
  const findings: Finding[] = [];
  let [streams, events, restored] = [0, 0, 0];
  for await (const page of streamPages(driver)) {
    const readable: StoredStream[] = [];
    for (const stream of page) {
      streams++;
      try {
        if ('reason' in stream) throw new UnfoldableError(stream.reason);
        events += stream.events.length;
        readable.push(stream);
        if (isDeepStrictEqual(foldStream(stream, aggregates), stream.folded)) continue;
        differing.push(stream.stream_id);
        await putRight(driver, stream, aggregates);
      } catch (error) {
        if (!(error instanceof UnfoldableError)) throw error;
        const finding = { subject: stream.stream_id, fault: error.message };
        findings.push(finding);
        watch.finding(finding);
      }
    }
    const missing = await missingValues(driver, provenEvents(readable, proofs), proofs !== undefined);
    restored += await restoreValues(driver, missing, proofs);
    watch.progress('streams', streams, undefined);
  }
  return { streams, events, differing, restored, findings };
}

/** Stores what the events say; when an append was faster, reads and folds again, for it may have built on the wrong state. */
async function putRight(driver: SqlDriver, differing: StoredStream, aggregates: Aggregates): Promise<void> {
  let stream: StoredStream | undefined = differing;
  while (stream !== undefined) {
    const { stream_id, folded }: StoredStream = stream;
    const fresh = foldStream(stream, aggregates);
    if (isDeepStrictEqual(fresh, folded)) return;
    const stored = await driver.query(
      fresh === null ? removal(stream_id, folded) : replacement(stream_id, folded, fresh),
    );
    if (stored.length > 0) return;
    stream = await readStream(driver, stream_id);
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
    text: `insert into streams as s (stream_id, category, parent, version, state, created_at, updated_at, head)
      values ($1, $2, $3, $4::integer, $5::text::jsonb, $6::text::timestamptz, $7::text::timestamptz, decode($8, 'hex'))
      on conflict (stream_id) do update
      set category = excluded.category, parent = excluded.parent, version = excluded.version, state = excluded.state,
        created_at = excluded.created_at, updated_at = excluded.updated_at,
        head = excluded.head
      where s.version = $9::integer and s.updated_at = $10::text::timestamptz
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
      read?.version ?? null,
      read?.updatedAt ?? null,
    ],
  };
}
