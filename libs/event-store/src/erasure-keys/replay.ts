import type { SqlExecutor } from '../database/sql-driver';
import { hashOfStream } from './erased-streams';

const page = 500;

/** When streams were erased, in milliseconds since 1970, by the hash of their names; those that were not erased are left out. */
export type ErasureTimes = (hashes: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Those that the database of erasure keys knows. */
export function erasuresKnownIn(keys: SqlExecutor): ErasureTimes {
  return async (hashes) => {
    const rows = await keys.query<{ hash: string; at: number }>({
      name: 'erasures-times',
      text: `select r.hash, e.at from unnest((select $1::text[])) as r (hash)
        cross join lateral (
          select extract(epoch from erased_at)::float8 * 1000 as at from erasures
          where stream_hash = decode(r.hash, 'hex') limit 1) as e`,
      values: [hashes],
    });
    return new Map(rows.map(({ hash, at }) => [hash, at]));
  };
}

/**
 * Those of a list with a line for each, as `2026-01-01T00:00:00.000000Z <hash>`.
 * @returns the number of the first line that is none
 */
export function erasureTimesOf(text: string): ErasureTimes | { readonly wrongLine: number } {
  const times = new Map<string, number>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === '') continue;
    const { at = '', hash = '' } = /^(?<at>\S+Z) (?<hash>[0-9a-f]{64})$/.exec(line)?.groups ?? {};
    const time = Date.parse(at);
    if (Number.isNaN(time)) return { wrongLine: index + 1 };
    times.set(hash, Math.max(time, times.get(hash) ?? 0));
  }
  return (hashes) =>
    Promise.resolve(times.size === 0 ? times : new Map(hashes.flatMap((hash) => entryOf(times, hash))));
}

function entryOf(times: ReadonlyMap<string, number>, hash: string): [string, number][] {
  const time = times.get(hash);
  return time === undefined ? [] : [[hash, time]];
}

/**
 * The streams of a restored store that were erased after it was backed up, in pages. One whose data key was made after the erasure is a
 * new stream of the same name.
 * @param onPage gets the number of data keys looked at so far
 */
export async function* streamsToErase(
  store: SqlExecutor,
  timesOf: ErasureTimes,
  onPage: (checked: number) => void,
): AsyncGenerator<string[], void> {
  let checked = 0;
  for (let after = ''; ;) {
    const rows = await store.query<{ streamId: string; madeAt: number }>({
      name: 'data-keys-made',
      text: `select stream_id as "streamId", extract(epoch from created_at)::float8 * 1000 as "madeAt" from data_keys
        where stream_id > $1 order by stream_id limit ${page}`,
      values: [after],
    });
    const hashed = rows.map((row) => ({ ...row, hash: hashOfStream(row.streamId) }));
    const times = await timesOf(hashed.map(({ hash }) => hash));
    yield hashed.filter(({ hash, madeAt }) => (times.get(hash) ?? 0) >= madeAt).map(({ streamId }) => streamId);
    checked += rows.length;
    onPage(checked);
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    after = last.streamId;
  }
}
