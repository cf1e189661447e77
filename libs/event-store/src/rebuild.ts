import { isDeepStrictEqual } from 'node:util';
import type { Aggregate, DomainEvent } from './aggregate';
import type { SqlDriver } from './sql-driver';
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
}

interface StoredStream {
  readonly stream_id: string;
  readonly folded: Folded | null;
  readonly events: (Pick<EventRecord, 'version' | 'type' | 'data' | 'metadata'> & { readonly instant: string })[];
}

const instant = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Folds every stream again from its events and compares the result with the stored state, a page of streams at a time; with `write`,
 * stores what differed. Each page is read by one statement, so that writers at work make no difference.
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
    const page = await readPage(driver, after);
    for (const stream of page) {
      const fresh = foldStream(stream, aggregates);
      streams++;
      events += stream.events.length;
      if (isDeepStrictEqual(fresh, stream.folded)) continue;
      differing.push(stream.stream_id);
      if (write) await store(driver, stream.stream_id, fresh);
    }
    const last = page.at(-1);
    if (last === undefined) return { streams, events, differing };
    after = last.stream_id;
  }
}

function readPage(driver: SqlDriver, after: string): Promise<StoredStream[]> {
  return driver.query<StoredStream>({
    name: 'rebuild-page',
    // A state without events and events without a state are both differences, hence the union.
    text: `with page as (
        (select distinct stream_id from events where stream_id > $1 order by stream_id limit ${pageSize})
        union
        (select stream_id from streams where stream_id > $1 order by stream_id limit ${pageSize})
        order by stream_id limit ${pageSize})
      select p.stream_id,
        (select jsonb_build_object('category', s.category, 'parent', s.parent, 'version', s.version, 'state', s.state,
           'createdAt', ${instant('s.created_at')}, 'updatedAt', ${instant('s.updated_at')})
         from streams s where s.stream_id = p.stream_id) as folded,
        coalesce((select jsonb_agg(to_jsonb(e) order by e.version)
          from (select version, type, data, metadata, ${instant('recorded_at')} as instant from events
                where events.stream_id = p.stream_id) e), '[]') as events
      from page p order by p.stream_id`,
    values: [after],
  });
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
  return { category, parent, version: last.version, state: stored, createdAt: first.instant, updatedAt: last.instant };
}

async function store(driver: SqlDriver, streamId: string, fresh: Folded | null): Promise<void> {
  if (fresh === null) {
    await driver.query({
      name: 'rebuild-remove',
      text: `delete from streams s where s.stream_id = $1 and not exists (select from events e where e.stream_id = $1)`,
      values: [streamId],
    });
    return;
  }
  await driver.query({
    name: 'rebuild-store',
    // An append since the page was read has written a newer state of its own.
    text: `insert into streams (stream_id, category, parent, version, state, created_at, updated_at)
      select $1, $2, $3, $4::integer, $5::text::jsonb, $6::text::timestamptz, $7::text::timestamptz
      where $4::integer = (select max(version) from events where stream_id = $1)
      on conflict (stream_id) do update
      set category = excluded.category, parent = excluded.parent, version = excluded.version, state = excluded.state,
        created_at = excluded.created_at, updated_at = excluded.updated_at`,
    values: [
      streamId,
      fresh.category,
      fresh.parent,
      fresh.version,
      JSON.stringify(fresh.state),
      fresh.createdAt,
      fresh.updatedAt,
    ],
  });
}
