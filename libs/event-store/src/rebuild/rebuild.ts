import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../passes/verification-finding';
import { provenEvents } from '../proofs/proven-events';
import type { Proofs } from '../proofs/proofs';
import { repairState } from './repair-state';
import type { SqlExecutor } from '../database/sql-driver';
import {
  type Aggregates,
  foldStream,
  isOfEarlierFold,
  type StoredStream,
  streamPages,
  UnfoldableError,
} from '../passes/stream-pages';
import { roughCount } from '../database/rough-count';
import {
  type LongWork,
  type RangeOptions,
  type RangeResult,
  type StreamRange,
  workInRanges,
} from '../passes/stream-ranges';
import { missingValues, restoreValues } from '../append/used-value-rows';

/** Has workers rebuild all streams. */
export async function rebuildStore(
  executor: SqlExecutor,
  { watch, reached, ...ranges }: LongWork & RangeOptions,
): Promise<RangeResult> {
  const of = await roughCount(executor);
  for (const finding of ranges.from?.findings ?? []) watch?.finding(finding);
  const done = (all: RangeResult, added: RangeResult): void => {
    for (const finding of added.findings) watch?.finding(finding);
    watch?.progress('events and states', all.events, of);
  };
  return workInRanges(executor, ranges, { done, reached });
}

/**
 * Folds streams again from their events, a page of streams at a time, and stores what differed, with the used values that
 * are missing; a finding is a stream that was left as it is. Each page is read by one statement, and a state is replaced
 * only while it is the one that was read, so that writers at work make no difference.
 */
export async function rebuildStreams(
  executor: SqlExecutor,
  { aggregates, proofs }: { readonly aggregates: Aggregates; readonly proofs: Proofs | undefined },
  range: StreamRange,
): Promise<RangeResult> {
  const differing: string[] = [];
  const findings: Finding[] = [];
  let [streams, events, restored] = [0, 0, 0];
  for await (const page of streamPages(executor, range)) {
    const readable: StoredStream[] = [];
    for (const stream of page) {
      streams++;
      try {
        if ('reason' in stream) throw new UnfoldableError(stream.reason);
        events += stream.events.length;
        readable.push(stream);
        const fresh = foldStream(stream, aggregates);
        if (isDeepStrictEqual(fresh, stream.folded)) continue;
        if (!isOfEarlierFold(fresh, stream.folded)) differing.push(stream.stream_id);
        await repairState(executor, stream, aggregates);
      } catch (error) {
        if (!(error instanceof UnfoldableError)) throw error;
        findings.push({ subject: stream.stream_id, fault: error.message });
      }
    }
    const missing = await missingValues(executor, provenEvents(readable, proofs), proofs !== undefined);
    restored += await restoreValues(executor, missing, proofs);
  }
  return { streams, events, differing, restored, findings };
}
