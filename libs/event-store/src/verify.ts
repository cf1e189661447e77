import type { CheckpointReader } from './checkpoint';
import { type Finding, type Watch } from './finding';
import type { Proofs } from './proofs';
import type { SqlExecutor } from './sql-driver';
import type { Aggregates } from './stream-pages';
import { type VerifiedCheckpoints, verifyCheckpoints } from './verify-checkpoints';
import { type VerifiedStreams, verifyStreams } from './verify-streams';
import { verifyUsedValues } from './verify-used-values';

export interface Verified extends VerifiedStreams {
  readonly usedValues: number;
  /** Absent where no key was given to read them. */
  readonly checkpoints: VerifiedCheckpoints | undefined;
  readonly findings: number;
}

export interface VerifyOptions {
  readonly watch?: Watch;
  /** Reads the checkpoints. */
  readonly keys?: CheckpointReader;
  /** A checkpoint that was kept elsewhere. */
  readonly kept?: string | undefined;
}

/** Checks all that is stored against all that proves it. Changes nothing, continues after any finding. */
export async function verifyStore(
  executor: SqlExecutor,
  { aggregates, proofs }: { readonly aggregates: Aggregates; readonly proofs: Proofs | undefined },
  { watch: given, keys, kept }: VerifyOptions,
): Promise<Verified> {
  let findings = 0;
  const watch: Watch = {
    finding: (finding: Finding) => {
      findings++;
      given?.finding(finding);
    },
    progress: (...progress) => given?.progress(...progress),
  };
  const checkpoints = keys && (await verifyCheckpoints(executor, { keys, kept }, watch));
  const streams = await verifyStreams(executor, { aggregates, proofs, of: await roughCount(executor) }, watch);
  const usedValues = await verifyUsedValues(executor, { proofs, grace: checkpoints?.grace }, watch);
  return { ...streams, usedValues, checkpoints, findings };
}

/** How many events there are, as the server has last estimated it. */
async function roughCount(executor: SqlExecutor): Promise<number | undefined> {
  const [row] = await executor.query<{ count: number }>({
    name: 'rough-count',
    text: `select reltuples::float8 as count from pg_class where oid = 'events'::regclass`,
    values: [],
  });
  return row !== undefined && row.count > 0 ? row.count : undefined;
}
