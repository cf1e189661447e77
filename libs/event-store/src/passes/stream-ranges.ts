import type { Finding, Watch } from './verification-finding';
import type { SqlExecutor } from '../database/sql-driver';

/** Streams by id: those behind the first one and up to the last one, or up to the end. */
export interface StreamRange {
  readonly after: string;
  readonly upto: string | undefined;
  /** Of these, the ones with these ids alone. */
  readonly only?: readonly string[];
}

/** What was found in some of the streams. */
export interface RangeResult {
  readonly streams: number;
  readonly events: number;
  /** Stream ids whose stored state is not what their events say. */
  readonly differing: readonly string[];
  /** How many used values were made again. */
  readonly restored: number;
  readonly findings: readonly Finding[];
}

/** Works on one range at a time, in this process or in a thread. */
export type RangeWorker = (range: StreamRange) => Promise<RangeResult>;

/** What was found in all streams up to one of them: work that was interrupted goes on behind it. */
export interface Reached extends RangeResult {
  /** Id of the last stream. */
  readonly after: string;
}

const nothing: Reached = { after: '', streams: 0, events: 0, differing: [], restored: 0, findings: [] };

/** About as many events as take a worker a quarter of a second. */
const usualSize = 5_000;

export interface RangeOptions {
  /** Each is given one range after another; the ranges of all of them cover every stream. */
  readonly workers: readonly RangeWorker[];
  /** Where to go on. */
  readonly from?: Reached | undefined;
  /** Events of a range. */
  readonly size?: number | undefined;
}

/** How long work on all streams is followed, spread and continued. */
export interface LongWork extends Partial<RangeOptions> {
  readonly watch?: Watch | undefined;
  /** Told how far all streams before have been done. */
  readonly reached?: ((reached: Reached) => void) | undefined;
}

/** Follows the ranges in their order. */
interface Following {
  /** @param sum of all so far. @param added by the last one */
  readonly done: (sum: Reached, added: RangeResult) => void;
  readonly reached?: ((sum: Reached) => void) | undefined;
}

/** Has workers do all streams, several ranges at once. */
export async function workInRanges(
  executor: SqlExecutor,
  { workers, from = nothing, size = usualSize }: RangeOptions,
  { done, reached }: Following,
): Promise<Reached> {
  const ranges = streamRanges(executor, from.after, size);
  const finished = new Map<number, Reached & { readonly isLast: boolean }>();
  let [given, told, sum] = [0, 0, from];
  // Calls to a generator are answered in their order.
  const next = async (): Promise<{ readonly number: number; readonly range: StreamRange } | undefined> => {
    const { value: range } = await ranges.next();
    return range && { number: given++, range };
  };
  const work = async (worker: RangeWorker): Promise<void> => {
    for (let task = await next(); task; task = await next()) {
      const { number, range } = task;
      const { after, upto } = range;
      finished.set(number, { ...(await worker(range)), after: upto ?? after, isLast: upto === undefined });
      for (let added = finished.get(told); added; added = finished.get(told)) {
        finished.delete(told++);
        sum = plus(sum, added);
        done(sum, added);
        // The last range has no end to go on behind: it would be done again, and counted twice.
        if (!added.isLast) reached?.(sum);
      }
    }
  };
  await Promise.all(workers.map(work));
  return sum;
}

/** Ranges of about equal size that together cover every id, whether it has events or not. */
async function* streamRanges(
  executor: SqlExecutor,
  from: string,
  size: number,
): AsyncGenerator<StreamRange, undefined> {
  for (let after = from; ;) {
    const [last] = await executor.query<{ stream_id: string }>({
      name: 'range-end',
      text: `select stream_id from events where stream_id > $1
        order by stream_id, version offset $2::integer limit 1`,
      values: [after, size],
    });
    yield { after, upto: last?.stream_id };
    if (last === undefined) return undefined;
    after = last.stream_id;
  }
}

function plus(sum: Reached, added: Reached): Reached {
  return {
    after: added.after,
    streams: sum.streams + added.streams,
    events: sum.events + added.events,
    differing: [...sum.differing, ...added.differing],
    restored: sum.restored + added.restored,
    findings: [...sum.findings, ...added.findings],
  };
}
