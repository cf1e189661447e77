import { isDeepStrictEqual } from 'node:util';
import { settledFolds } from '../rebuild/refold-states';
import type { Finding } from '../passes/verification-finding';
import { erasureEvent } from '../erasure/personal-data-erased';
import { checkEventChain, type CheckedEvent } from '../proofs/proven-events';
import type { Proofs } from '../proofs/proofs';
import type { SqlExecutor } from '../database/sql-driver';
import {
  type Aggregates,
  type Folded,
  foldStream,
  isOfEarlierFold,
  type RecordedEvent,
  type StoredStream,
  streamPages,
  UnfoldableError,
} from '../passes/stream-pages';
import type { RangeResult, StreamRange } from '../passes/stream-ranges';
import { movedTenants } from '../database/moved-tenants';
import { aggregateOf, markOf } from '../streams/stored-event';
import { missingValues } from '../append/used-value-rows';

/** Compares every state with its events, checks the chain of each stream, and looks for the values that events name. */
export async function verifyStreams(
  executor: SqlExecutor,
  { aggregates, proofs }: { aggregates: Aggregates; proofs: Proofs | undefined },
  range: StreamRange,
): Promise<RangeResult> {
  const differing: string[] = [];
  const findings: Finding[] = [];
  const settled = await settledFolds(executor, [...aggregates.keys()]);
  const moved = await movedTenants(executor);
  let [streams, events] = [0, 0];
  for await (const page of streamPages(executor, range)) {
    const trusted: CheckedEvent[] = [];
    for (const stream of page) {
      streams++;
      const report = (fault: string): void => {
        findings.push({ subject: stream.stream_id, fault });
      };
      if ('reason' in stream) {
        report(stream.reason);
        continue;
      }
      events += stream.events.length;
      if (stream.events.length === 0 && stream.folded === null) report('has a data key but no events');
      dataKeyFault(stream, moved.has(markOf(stream.stream_id)), report);
      versionGaps(stream, report);
      for (const checked of checkEventChain(stream, proofs)) {
        if (checked.holds !== false) trusted.push(checked);
        else report(`version ${checked.row.version}: ${faultOf(checked)}`);
      }
      try {
        const fresh = foldStream(stream, aggregates);
        if (isDeepStrictEqual(fresh, stream.folded)) continue;
        const isSettled = fresh !== null && settled.get(aggregateOf(stream.stream_id)) === fresh.foldVersion;
        if (!isSettled && isOfEarlierFold(fresh, stream.folded)) continue;
        differing.push(stream.stream_id);
        report(differenceOf(fresh, stream.folded));
      } catch (error) {
        if (!(error instanceof UnfoldableError)) throw error;
        report(error.message);
      }
    }
    for (const { subject, row, hasLostProof } of await missingValues(executor, trusted, proofs !== undefined)) {
      const fault = hasLostProof ? 'has lost its proof' : 'is missing';
      findings.push({ subject, fault: `the used value ${row.kind} ${row.hash.slice(0, 16)} ${fault}` });
    }
  }
  return { streams, events, differing, restored: 0, findings };
}

/** @param isElsewhere whether its tenant has moved, and the key with it */
function dataKeyFault(
  { events, has_data_key: hasDataKey }: StoredStream,
  isElsewhere: boolean,
  report: (fault: string) => void,
): void {
  const said = events.findLast((event) => event.type === erasureEvent || dataKeyIn(event) !== undefined);
  if (said === undefined) return;
  const isErased = dataKeyIn(said) !== 'made';
  if (isErased && hasDataKey) report(`version ${said.version} erased it, and its data key is there again`);
  if (!isErased && !hasDataKey && !isElsewhere) report('its data key is gone, and no event says that it was erased');
}

function dataKeyIn({ metadata }: RecordedEvent): unknown {
  return (metadata as { readonly dataKey?: unknown } | null)?.dataKey;
}

function faultOf({ row }: CheckedEvent): string {
  return row.proof === null
    ? 'carries no proof: it was added by hand'
    : 'its content, its time or the event before it was changed';
}

function versionGaps({ events }: StoredStream, report: (fault: string) => void): void {
  let next = 1;
  for (const { version } of events) {
    if (version > next)
      report(version === next + 1 ? `version ${next} is missing` : `versions ${next} to ${version - 1} are missing`);
    next = version + 1;
  }
}

function differenceOf(fresh: Folded | null, stored: Folded | null): string {
  if (fresh === null) return 'has a state but no events';
  if (stored === null) return 'has events but no state';
  const names = Object.keys(fresh) as (keyof Folded)[];
  const differing = names.filter((name) => !isDeepStrictEqual(fresh[name], stored[name]));
  return `its stored state differs from its events (${differing.join(', ')})`;
}
