import type { CheckpointReader } from './checkpoint';
import { type Finding, type Watch } from './finding';
import type { Proofs } from './proofs';
import { roughCount } from './rough-count';
import { Sections } from './sections';
import type { SqlExecutor } from './sql-driver';
import { type RangeOptions, type RangeResult, type Reached, workInRanges } from './stream-ranges';
import { type VerifiedCheckpoints, verifyCheckpoints } from './verify-checkpoints';
import { verifyUsedValues } from './verify-used-values';

export interface Verified extends Pick<RangeResult, 'streams' | 'events' | 'differing'> {
  readonly usedValues: number;
  /** Absent where no key was given to read them. */
  readonly checkpoints: VerifiedCheckpoints | undefined;
  readonly findings: number;
}

/** How long work on all streams is followed, spread and continued. */
export interface LongWork extends Partial<RangeOptions> {
  readonly watch?: Watch | undefined;
  /** Told how far all streams before have been done. */
  readonly reached?: ((reached: Reached) => void) | undefined;
}

export interface VerifyOptions extends LongWork {
  /** Reads the checkpoints. */
  readonly keys?: CheckpointReader;
  /** Checkpoints that were kept elsewhere. */
  readonly kept?: readonly string[];
}

/**
 * Checks all that is stored against all that proves it. Changes nothing, continues after any finding. With several workers
 * checkpoints and used values are checked meanwhile. Work that goes on where other work was interrupted compares every event
 * with the checkpoints again, and leaves out what only the streams before show: contents and states.
 */
export async function verifyStore(
  executor: SqlExecutor,
  { proofs }: { readonly proofs: Proofs | undefined },
  { watch: given, keys, kept = [], reached, ...ranges }: VerifyOptions & RangeOptions,
): Promise<Verified> {
  let findings = 0;
  const sections = new Sections({
    finding: (finding: Finding) => {
      findings++;
      given?.finding(finding);
    },
    progress: (...progress) => given?.progress(...progress),
  });
  const [ofCheckpoints, ofStreams, ofUsedValues] = [sections.next(), sections.next(), sections.next()];
  const of = await roughCount(executor);
  const checkCheckpoints = async (): Promise<VerifiedCheckpoints | undefined> => {
    const verified = keys && (await verifyCheckpoints(executor, { keys, kept }, ofCheckpoints));
    ofCheckpoints.end();
    return verified;
  };
  const checkStreams = async (): Promise<Reached> => {
    for (const finding of ranges.from?.findings ?? []) ofStreams.finding(finding);
    const done = (all: RangeResult, added: RangeResult): void => {
      for (const finding of added.findings) ofStreams.finding(finding);
      ofStreams.progress('events and states', all.events, of);
    };
    const sum = await workInRanges(executor, ranges, { done, reached });
    ofStreams.end();
    return sum;
  };
  const checkUsedValues = (checkpoints: VerifiedCheckpoints | undefined): Promise<number> =>
    verifyUsedValues(executor, { proofs, grace: checkpoints?.grace }, ofUsedValues);
  const resultOf = ({ streams, events, differing }: Reached, rest: Pick<Verified, 'checkpoints' | 'usedValues'>) => {
    ofUsedValues.end();
    return { streams, events, differing, ...rest, findings };
  };

  if (ranges.workers.length > 1) {
    const checkRest = async (): Promise<Pick<Verified, 'checkpoints' | 'usedValues'>> => {
      const checkpoints = await checkCheckpoints();
      return { checkpoints, usedValues: await checkUsedValues(checkpoints) };
    };
    return resultOf(...(await Promise.all([checkStreams(), checkRest()])));
  }
  const checkpoints = await checkCheckpoints();
  const streams = await checkStreams();
  return resultOf(streams, { checkpoints, usedValues: await checkUsedValues(checkpoints) });
}
