import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import type { RunningService } from '../service/service';

type Rows = Readonly<Record<'events' | 'streams' | 'consumed' | 'data_keys', number>>;

/** What is noted of wallets some time after it has happened. */
const marks = ['OfferFetched', 'RequestRetrieved', 'WalletRefused'];

/** How much each table of the event store holds but for marks: a refusal leaves all of it as it was. */
export async function storedRows({ app }: RunningService): Promise<Rows> {
  const [rows] = await app.get<SqlDriver>(SQL_DRIVER).query<Rows>({
    name: 'count-rows',
    text: `select
      (select count(*)::integer from events where type <> all($1::text[])) as events,
      (select count(*)::integer from streams) as streams,
      (select count(*)::integer from consumed) as consumed,
      (select count(*)::integer from data_keys) as data_keys`,
    values: [marks],
  });
  if (!rows) throw new Error('The database answered without a row.');
  return rows;
}

/** The types of the events of one stream, in order. */
export async function storedEvents({ app }: RunningService, streamId: string): Promise<string[]> {
  const rows = await app.get<SqlDriver>(SQL_DRIVER).query<{ type: string }>({
    name: 'types-of-stream',
    text: 'select type from events where stream_id = $1 order by version',
    values: [streamId],
  });
  return rows.map(({ type }) => type);
}

export interface StoredRow {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly recordedAt: Date;
  /** The same for events that were appended together. */
  readonly unit: string;
  /** Who did it. */
  readonly by: string;
}

/** The events of one stream, in order. */
export function storedHistory({ app }: RunningService, streamId: string): Promise<StoredRow[]> {
  return app.get<SqlDriver>(SQL_DRIVER).query<StoredRow>({
    name: 'history-of-stream',
    text: `select type, data, recorded_at as "recordedAt", metadata->>'unit' as unit, metadata->>'by' as by
      from events where stream_id = $1 order by version`,
    values: [streamId],
  });
}
