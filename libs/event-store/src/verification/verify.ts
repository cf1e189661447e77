import type { CheckpointReader } from '../proofs/checkpoint';
import { type Finding } from '../passes/verification-finding';
import type { Proofs } from '../proofs/proofs';
import { roughCount } from '../database/rough-count';
import { ParallelSections } from './parallel-sections';
import type { SqlExecutor } from '../database/sql-driver';
import {
  type LongWork,
  type RangeOptions,
  type RangeResult,
  type Reached,
  workInRanges,
} from '../passes/stream-ranges';
import { type Continued, StreamsSince } from './streams-since';
import { type VerifiedCheckpoints, verifyCheckpoints } from './verify-checkpoints';
import { verifyUsedValues } from './verify-used-values';

export interface Verified extends Pick<RangeResult, 'streams' | 'events' | 'differing'> {
  readonly usedValues: number;
  /** Absent where no key was given to read them. */
  readonly checkpoints: VerifiedCheckpoints | undefined;
  readonly findings: number;
}

export interface VerifyOptions extends LongWork {
  /** Reads the checkpoints. */
  readonly keys?: CheckpointReader;
  /** Checkpoints that were kept elsewhere. */
  readonly kept?: readonly string[];
  readonly from?: Continued | undefined;
}

/**
 * Checks all that is stored against all that proves it. Changes nothing, continues after any finding. With several workers
 * checkpoints and used values are checked meanwhile. Work that goes on where other work was interrupted compares every event
 * with the checkpoints again, checks streams with events since the last checkpoint then again, and leaves out what only the
 * other streams before show: contents and states.
 */
export async function verifyStore(
  executor: SqlExecutor,
  { proofs }: { readonly proofs: Proofs | undefined },
  { watch: given, keys, kept = [], reached, from, ...ranges }: VerifyOptions & RangeOptions,
): Promise<Verified> {
  let findings = 0;
  const sections = new ParallelSections({
    finding: (finding: Finding) => {
      findings++;
      given?.finding(finding);
    },
    progress: (...progress) => given?.progress(...progress),
  });
  const [ofCheckpoints, ofStreams, ofUsedValues] = [sections.next(), sections.next(), sections.next()];
  const of = await roughCount(executor);
  const since = keys && from && new StreamsSince(from, keys);
  // What the run before has checked may not have been rolled back.
  const all = typeof from?.checkpoint === 'string' ? [...kept, from.checkpoint] : kept;
  const checkCheckpoints = async (): Promise<VerifiedCheckpoints | undefined> => {
    const verified = keys && (await verifyCheckpoints(executor, { keys, kept: all, since }, ofCheckpoints));
    ofCheckpoints.end();
    return verified;
  };
  const checkStreams = async (): Promise<Reached> => {
    for (const finding of from?.findings ?? []) ofStreams.finding(finding);
    const done = (sum: RangeResult, added: RangeResult): void => {
      for (const finding of added.findings) ofStreams.finding(finding);
      ofStreams.progress('events and states', sum.events, of);
    };
    return workInRanges(executor, { ...ranges, from }, { done, reached });
  };
  const checkAgain = async (sum: Reached): Promise<Reached> => {
    const [worker] = ranges.workers;
    const again = worker && (await since?.check(worker));
    for (const finding of again?.findings ?? []) ofStreams.finding(finding);
    ofStreams.end();
    return { ...sum, differing: [...sum.differing, ...(again?.differing ?? [])] };
  };
  const checkUsedValues = (): Promise<number> => verifyUsedValues(executor, { proofs }, ofUsedValues);
  const resultOf = ({ streams, events, differing }: Reached, rest: Pick<Verified, 'checkpoints' | 'usedValues'>) => {
    ofUsedValues.end();
    return { streams, events, differing, ...rest, findings };
  };

  if (ranges.workers.length > 1) {
    const checkRest = async (): Promise<Pick<Verified, 'checkpoints' | 'usedValues'>> => {
      const checkpoints = await checkCheckpoints();
      return { checkpoints, usedValues: await checkUsedValues() };
    };
    const [sum, rest] = await Promise.all([checkStreams(), checkRest()]);
    return resultOf(await checkAgain(sum), rest);
  }
  const checkpoints = await checkCheckpoints();
  const streams = await checkAgain(await checkStreams());
  return resultOf(streams, { checkpoints, usedValues: await checkUsedValues() });
}
