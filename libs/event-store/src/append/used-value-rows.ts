import { type CheckedEvent, usedBy } from '../proofs/proven-events';
import type { Proofs } from '../proofs/proofs';
import type { SqlExecutor } from '../database/sql-driver';
import { fromNamed } from './used-values';
import type { ConsumedRow } from './pending-write';

/** A used value that an event names and the database no longer has as it was written. */
export interface MissingValue {
  readonly subject: string;
  readonly row: ConsumedRow;
  readonly hasLostProof: boolean;
}

/** Which of the values that the events name, and that have not expired, are missing, or have lost their proof. */
export async function missingValues(
  executor: SqlExecutor,
  events: readonly CheckedEvent[],
  areProven: boolean,
): Promise<MissingValue[]> {
  const named = events.flatMap(({ streamId, row }) =>
    usedBy(row).map((value) => ({
      subject: `${streamId} version ${row.version}`,
      isProven: row.proof !== null && areProven,
      row: fromNamed(value, streamId),
    })),
  );
  if (named.length === 0) return [];
  const found = await executor.query<{ found: boolean; proven: boolean; now: Date }>({
    name: 'used-values-named',
    text: `select c.kind is not null as found, c.proof is not null as proven, now() as now
      from unnest($1::text[], $2::text[]) with ordinality as r (kind, hash, at)
      left join lateral (
        select kind, proof from consumed
        where consumed.kind = r.kind collate "C" and consumed.value_hash = decode(r.hash, 'hex') limit 1) as c on true
      order by r.at`,
    values: [named.map(({ row }) => row.kind), named.map(({ row }) => row.hash)],
  });
  return named.flatMap(({ subject, isProven, row }, at): MissingValue[] => {
    const there = found[at];
    // The clean-up removes what has expired.
    if (there === undefined || (row.expiresAt !== null && new Date(row.expiresAt) <= there.now)) return [];
    if (!there.found) return [{ subject, row, hasLostProof: false }];
    return isProven && !there.proven ? [{ subject, row, hasLostProof: true }] : [];
  });
}

/** Makes the values again, without their notes. @returns how many */
export async function restoreValues(
  executor: SqlExecutor,
  missing: readonly MissingValue[],
  proofs: Proofs | undefined,
): Promise<number> {
  const rows = missing.filter(({ hasLostProof }) => !hasLostProof).map(({ row }) => row);
  if (rows.length === 0) return 0;
  const stored = await executor.query({
    name: 'used-values-restore',
    text: `insert into consumed (kind, value_hash, stream_id, expires_at, proof)
      select kind, decode(hash, 'hex'), stream_id, expires_at::timestamptz, decode(proof, 'hex')
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as r (kind, hash, stream_id, expires_at, proof)
      on conflict do nothing returning 1 as one`,
    values: [
      rows.map((row) => row.kind),
      rows.map((row) => row.hash),
      rows.map((row) => row.streamId),
      rows.map((row) => row.expiresAt),
      rows.map((row) => proofs?.ofUsedValue(row).toString('hex') ?? null),
    ],
  });
  return stored.length;
}
