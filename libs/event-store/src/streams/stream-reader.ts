import { type CurrentDeadline, noDeadline } from '@app/primitives/time';
import { madeBy } from './fold-version';
import { GroupRead } from './group-read';
import type { SqlDriver } from '../database/sql-driver';
import { eventColumns, type EventRecord } from './stored-event';
import { noRecord, type StreamRead, type StreamRecord } from './stream-record';

interface Row {
  asked: string;
  stream_id: string;
  version: number | null;
  state: string | null;
  sealed_key: Buffer | null;
  created_at: Date | null;
  updated_at: Date | null;
  head: Buffer | null;
  tx: string | null;
  fold_version: number | null;
  now: Date;
}

interface RowWithEvents extends Row {
  /** Times are texts in JSON. */
  events: readonly (Omit<EventRecord, 'recorded_at'> & { readonly recorded_at: string })[] | null;
}

/** A row, and when it was asked for and how long that took. */
interface Answer {
  readonly row: Row;
  readonly askedAt: number;
  readonly took: number;
}

/** Reads streams by their primary key, those that are asked for at the same time by one statement. */
export class StreamReader {
  private readonly ids: GroupRead<Answer>;
  private readonly handles: GroupRead<Answer>;

  constructor(
    private readonly driver: SqlDriver,
    deadline: CurrentDeadline = noDeadline,
  ) {
    this.ids = new GroupRead((...asked) => this.rowsOf('load', loadById, ...asked), deadline);
    this.handles = new GroupRead((...asked) => this.rowsOf('load-by-handle', loadByHandle, ...asked), deadline);
    driver.silence?.onNoticed(() => {
      this.ids.dropAll();
      this.handles.dropAll();
    });
  }

  /** A stream that does not exist has version 0. */
  byId(streamId: string): Promise<StreamRead> {
    return this.ids.read(streamId).then((answer) => {
      if (answer === undefined) throw new Error('The database answered without a row.');
      return readOf(streamId, answer);
    });
  }

  /** The same with its history, the oldest event first. */
  withEvents(streamId: string): Promise<StreamRead & { readonly events: readonly EventRecord[] }> {
    const askedAt = performance.now();
    const values = [streamId];
    return this.driver
      .query<RowWithEvents>({ name: 'load-with-events', text: loadWithEvents, values })
      .then(([row]) => {
        if (row === undefined) throw new Error('The database answered without a row.');
        const events = (row.events ?? []).map((event) => ({ ...event, recorded_at: new Date(event.recorded_at) }));
        return { ...readOf(streamId, { row, askedAt, took: performance.now() - askedAt }), events };
      });
  }

  /** The stream bound to a value that has not expired. @param hash hex */
  byHandle(kind: string, hash: string): Promise<StreamRead | undefined> {
    return this.handles.read(`${hash} ${kind}`).then((answer) => answer && readOf(answer.row.stream_id, answer));
  }

  private rowsOf(name: string, text: string, keys: readonly string[], timeout: number): Promise<Map<string, Answer>> {
    const askedAt = performance.now();
    return this.driver.query<Row>({ name, text, values: [keys], timeout, lane: 'reads' }).then((rows) => {
      const took = performance.now() - askedAt;
      return new Map(rows.map((row) => [row.asked, { row, askedAt, took }]));
    });
  }
}

// The array comes from a subselect, so that plans do not depend on its length: one is made and kept. Below a lateral join with
// a limit the only plan is an index lookup for each element.
const asked = 'from unnest((select $1::text[])) r (asked)';
const columns =
  's.stream_id, s.version, s.state::text as state, k.sealed_key, s.created_at, s.updated_at, s.head, ' +
  's.xmin::text as tx, ' +
  `${madeBy('s')} as fold_version`;

const loadById = `select r.asked, s.*, now() as now ${asked} left join lateral (
    select ${columns} from streams s left join data_keys k on k.stream_id = s.stream_id
    where s.stream_id = r.asked limit 1
  ) s on true`;

const loadWithEvents = `select $1::text as asked, s.*, now() as now, (
    select json_agg(e order by e.version) from (select ${eventColumns} from events where stream_id = $1) e
  ) as events
  from (values (1)) one left join lateral (
    select ${columns} from streams s left join data_keys k on k.stream_id = s.stream_id
    where s.stream_id = $1 limit 1
  ) s on true`;

const loadByHandle = `select r.asked, s.*, now() as now ${asked} cross join lateral (
    select ${columns} from streams s left join data_keys k on k.stream_id = s.stream_id
    where s.stream_id = (
      select stream_id from consumed
      where kind = substr(r.asked, strpos(r.asked, ' ') + 1) and value_hash = decode(split_part(r.asked, ' ', 1), 'hex')
        and (expires_at is null or expires_at > now())
    ) limit 1
  ) s`;

function readOf(streamId: string, { row, askedAt, took }: Answer): StreamRead {
  const { head, tx, state, fold_version: foldVersion, now } = row;
  const text = state ?? undefined;
  return {
    streamId,
    record: toRecord(row),
    text,
    head: head ?? undefined,
    tx: tx ?? undefined,
    foldVersion: foldVersion ?? 1,
    now,
    askedAt,
    took,
  };
}

function toRecord(row: Row): StreamRecord {
  if (row.version === null || row.state === null) return noRecord;
  return {
    version: row.version,
    state: JSON.parse(row.state) as unknown,
    dataKey: row.sealed_key ?? undefined,
    createdAt: row.created_at ?? undefined,
    updatedAt: row.updated_at ?? undefined,
  };
}
