import { isDeepStrictEqual } from 'node:util';
import type { Aggregate, DomainEvent } from '../streams/aggregate';
import { foldVersionOf, madeBy } from '../streams/fold-version';
import { SqlError, type SqlExecutor, type Statement } from '../database/sql-driver';
import { instant } from '../database/sql-instant';
import { aggregateOf, categoryOf, folded, type EventRecord } from '../streams/stored-event';
import type { StreamRange } from './stream-ranges';

export type Aggregates = ReadonlyMap<string, Aggregate<unknown, DomainEvent>>;

/** A row of `streams`, but for its id. */
export interface Folded {
  readonly category: string;
  readonly parent: string | null;
  readonly version: number;
  readonly state: unknown;
  /** Microseconds, as text: a Date would hide a difference. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** hex */
  readonly head: string | null;
  readonly foldVersion: number;
}

export interface RecordedEvent extends Pick<EventRecord, 'version' | 'type' | 'data' | 'metadata'> {
  /** UTC, in microseconds. */
  readonly instant: string;
  /** hex */
  readonly proof: string | null;
}

export interface StoredStream {
  readonly stream_id: string;
  readonly folded: Folded | null;
  readonly has_data_key: boolean;
  readonly events: readonly RecordedEvent[];
}

/** The database cannot give a stream. */
export interface UnreadableStream {
  readonly stream_id: string;
  readonly reason: string;
}

/** Why the events of a stream cannot be folded. */
export class UnfoldableError extends Error {
  override readonly name = 'UnfoldableError';
}

const pageSize = 200;

// As json: to assemble the same as jsonb takes the server twice as long.
const readStreams = (page: string): string => `select p.stream_id,
    (select json_build_object('category', s.category, 'parent', s.parent, 'version', s.version, 'state', s.state,
       'createdAt', ${instant('s.created_at')}, 'updatedAt', ${instant('s.updated_at')},
       'head', encode(s.head, 'hex'), 'foldVersion', ${madeBy('s')})
     from streams s where s.stream_id = p.stream_id) as folded,
    (select true from data_keys k where k.stream_id = p.stream_id limit 1) is true as has_data_key,
    coalesce((select json_agg(to_json(e) order by e.version)
      from (select version, type, data, metadata, ${instant('recorded_at')} as instant, encode(proof, 'hex') as proof from events
            where events.stream_id = p.stream_id) e), '[]') as events
  from ${page} p order by p.stream_id`;

// A state without events, events without a state and a data key without either are differences, hence the union.
const pageOf = (condition: string): string => `(
    (select distinct stream_id from events where ${condition} order by stream_id limit ${pageSize})
    union
    (select stream_id from streams where ${condition} order by stream_id limit ${pageSize})
    union
    (select stream_id from data_keys where ${condition} order by stream_id limit ${pageSize})
    order by stream_id limit ${pageSize})`;

interface PageStatements {
  readonly name: string;
  readonly page: string;
}

const endless: PageStatements = { name: 'rebuild', page: pageOf('stream_id > $1') };
const ending: PageStatements = { name: 'rebuild-upto', page: pageOf('stream_id > $1 and stream_id <= $2') };
const naming: PageStatements = {
  name: 'rebuild-only',
  page: pageOf('stream_id > $1 and stream_id <= $2 and stream_id = any($3::text[])'),
};

function pagesIn({ upto, only }: StreamRange): PageStatements & { readonly bounds: unknown[] } {
  if (upto === undefined) return { ...endless, bounds: [] };
  return only ? { ...naming, bounds: [upto, only] } : { ...ending, bounds: [upto] };
}

/** Streams by id, a page at a time; each page, or each stream of a page that cannot be read whole, by one statement. */
export async function* streamPages(
  executor: SqlExecutor,
  range: StreamRange,
): AsyncGenerator<(StoredStream | UnreadableStream)[]> {
  for (let { after } = range; ;) {
    const streams = await readPage(executor, { ...range, after });
    const last = streams.at(-1);
    if (last === undefined) return;
    yield streams;
    after = last.stream_id;
  }
}

export async function readStream(executor: SqlExecutor, streamId: string): Promise<StoredStream | undefined> {
  const [stream] = await executor.query<StoredStream>(oneStream(streamId));
  return stream;
}

async function readPage(executor: SqlExecutor, range: StreamRange): Promise<(StoredStream | UnreadableStream)[]> {
  const { name, page, bounds } = pagesIn(range);
  const values = [range.after, ...bounds];
  try {
    return await executor.query<StoredStream>({ name: `${name}-page`, text: readStreams(page), values });
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
  }
  const ids: Statement = { name: `${name}-ids`, text: `select stream_id from ${page} p`, values };
  const streams: (StoredStream | UnreadableStream)[] = [];
  for (const { stream_id } of await executor.query<{ stream_id: string }>(ids)) {
    try {
      const stream = await readStream(executor, stream_id);
      if (stream) streams.push(stream);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      streams.push({ stream_id, reason: `the database cannot read it: ${error.message}` });
    }
  }
  return streams;
}

function oneStream(streamId: string): Statement {
  return { name: 'rebuild-read', text: readStreams('(select $1::text as stream_id)'), values: [streamId] };
}

/** Whether all that differs is what an earlier fold made otherwise: it is folded again before it is read. */
export function isOfEarlierFold(fresh: Folded | null, stored: Folded | null): boolean {
  if (fresh === null || stored === null) return false;
  if (stored.foldVersion < 1 || stored.foldVersion >= fresh.foldVersion) return false;
  const { state, parent, foldVersion } = fresh;
  return isDeepStrictEqual(fresh, { ...stored, state, parent, foldVersion });
}

/** The state of the events; `null` when there are none. Throws `UnfoldableError`. */
export function foldStream({ stream_id, events }: StoredStream, aggregates: Aggregates): Folded | null {
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) return null;
  const category = categoryOf(stream_id);
  const aggregate = aggregates.get(aggregateOf(stream_id));
  if (aggregate === undefined) throw new UnfoldableError(`no release knows the category "${category}"`);
  let state: unknown;
  for (const row of events) {
    try {
      state = folded(state, row, aggregate);
    } catch (error) {
      // Its message may hold what the event holds.
      const reason = error instanceof Error ? error.name : typeof error;
      throw new UnfoldableError(`version ${row.version} cannot be read by this release (${reason})`, { cause: error });
    }
  }
  try {
    const parent = aggregate.parent?.(state) ?? null;
    // Through JSON, as a stored state has been: members that are undefined are not there.
    const stored: unknown = JSON.parse(JSON.stringify(state));
    const head = events.findLast(({ proof }) => proof !== null)?.proof ?? null;
    const [createdAt, updatedAt] = [first.instant, last.instant];
    const foldVersion = foldVersionOf(aggregate);
    return { category, parent, version: last.version, state: stored, createdAt, updatedAt, head, foldVersion };
  } catch (error) {
    throw new UnfoldableError('its events fold into a state that this release does not know', { cause: error });
  }
}
