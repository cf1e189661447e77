import { isDeepStrictEqual } from 'node:util';
import type { Aggregate, DomainEvent } from './aggregate';
import type { SqlDriver, Statement } from './sql-driver';
import { categoryOf, upcastEvent, type EventRecord } from './stored-event';

export interface Rebuilt {
  readonly streams: number;
  readonly events: number;
  /** Stream ids whose stored state was not what their events say. */
  readonly differing: string[];
}

const pageSize = 200;

interface Folded {
  readonly category: string;
  readonly parent: string | null;
  readonly version: number;
  readonly state: unknown;
  /** Microseconds, as text: a Date would hide a difference. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** hex */
  readonly head: string | null;
}

interface StoredStream {
  readonly stream_id: string;
  readonly folded: Folded | null;
  readonly events: (Pick<EventRecord, 'version' | 'type' | 'data' | 'metadata'> & {
    readonly instant: string;
    readonly proof: string | null;
  })[];
}

const instant = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Folds every stream again from its events and compares the result with the stored state, a page of streams at a time; with `write`,
 * stores what differed. Each page is read by one statement, and a state is replaced only while it is the one that was read, so that
 * writers at work make no difference.
 */
export async function rebuildStates(
  driver: SqlDriver,
  aggregates: ReadonlyMap<string, Aggregate<unknown, DomainEvent>>,
  write: boolean,
): Promise<Rebuilt> {
  const differing: string[] = [];
  let streams = 0;
  let events = 0;
  for (let after = ''; ;) {
    const page = await driver.query<StoredStream>(nextStreams(after));
    for (const stream of page) {
      streams++;
      events += stream.events.length;
      const fresh = foldStream(stream, aggregates);
      if (isDeepStrictEqual(fresh, stream.folded)) continue;
      differing.push(stream.stream_id);
      if (write) await putRight(driver, stream, aggregates);
    }
    const last = page.at(-1);
    if (last === undefined) return { streams, events, differing };
    after = last.stream_id;
  }
}

/** Stores what the events say; when an append was faster, reads and folds again, for it may have built on the wrong state. */
async function putRight(
  driver: SqlDriver,
  differing: StoredStream,
  aggregates: ReadonlyMap<string, Aggregate<unknown, DomainEvent>>,
): Promise<void> {
  let stream: StoredStream | undefined = differing;
  while (stream !== undefined) {
    const { stream_id, folded }: StoredStream = stream;
    const fresh = foldStream(stream, aggregates);
    if (isDeepStrictEqual(fresh, folded)) return;
    const stored = await driver.query(
      fresh === null ? removal(stream_id, folded) : replacement(stream_id, folded, fresh),
    );
    if (stored.length > 0) return;
    [stream] = await driver.query<StoredStream>(oneStream(stream_id));
  }
}

const readStreams = (page: string): string => `select p.stream_id,
    (select jsonb_build_object('category', s.category, 'parent', s.parent, 'version', s.version, 'state', s.state,
       'createdAt', ${instant('s.created_at')}, 'updatedAt', ${instant('s.updated_at')},
       'head', encode(s.head, 'hex'))
     from streams s where s.stream_id = p.stream_id) as folded,
    coalesce((select jsonb_agg(to_jsonb(e) order by e.version)
      from (select version, type, data, metadata, ${instant('recorded_at')} as instant, encode(proof, 'hex') as proof from events
            where events.stream_id = p.stream_id) e), '[]') as events
  from ${page} p order by p.stream_id`;

function nextStreams(after: string): Statement {
  // A state without events and events without a state are both differences, hence the union.
  const page = `(
      (select distinct stream_id from events where stream_id > $1 order by stream_id limit ${pageSize})
      union
      (select stream_id from streams where stream_id > $1 order by stream_id limit ${pageSize})
      order by stream_id limit ${pageSize})`;
  return { name: 'rebuild-page', text: readStreams(page), values: [after] };
}

function oneStream(streamId: string): Statement {
  return { name: 'rebuild-read', text: readStreams('(select $1::text as stream_id)'), values: [streamId] };
}

function foldStream(
  { stream_id, events }: StoredStream,
  aggregates: ReadonlyMap<string, Aggregate<unknown, DomainEvent>>,
): Folded | null {
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) return null;
  const category = categoryOf(stream_id);
  const aggregate = aggregates.get(category);
  if (aggregate === undefined) throw new Error(`No aggregate is registered for the category "${category}".`);
  let state: unknown;
  for (const row of events) state = aggregate.evolve(state, upcastEvent(row, aggregate));
  const parent = aggregate.parent?.(state) ?? null;
  // Through JSON, as a stored state has been: members that are undefined are not there.
  const stored: unknown = JSON.parse(JSON.stringify(state));
  const head = events.findLast(({ proof }) => proof !== null)?.proof ?? null;
  const [createdAt, updatedAt] = [first.instant, last.instant];
  return { category, parent, version: last.version, state: stored, createdAt, updatedAt, head };
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
