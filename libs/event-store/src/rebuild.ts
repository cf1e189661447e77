import { isDeepStrictEqual } from 'node:util';
import { type Finding, type Watch } from './finding';
import { provenEvents } from './proven-events';
import type { Proofs } from './proofs';
import { putRight } from './put-right';
import type { SqlDriver } from './sql-driver';
import {
  type Aggregates,
  foldStream,
  isOfEarlierFold,
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
        const fresh = foldStream(stream, aggregates);
        if (isDeepStrictEqual(fresh, stream.folded)) continue;
        if (!isOfEarlierFold(fresh, stream.folded)) differing.push(stream.stream_id);
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
