import { type Watch } from '../passes/verification-finding';
import type { Proofs } from '../proofs/proofs';
import type { SqlExecutor } from '../database/sql-driver';
import { instant } from '../database/sql-instant';

interface Row {
  readonly kind: string;
  readonly hash: string;
  readonly stream_id: string | null;
  readonly expires: string | null;
  readonly note: string | null;
  readonly proof: Buffer | null;
  /** Whether the stream that it finds has events. */
  readonly isNamed: boolean;
}

const pageSize = 1_000;

/**
 * Checks the rows of used values: each carries its own proof.
 * @returns how many there are
 */
export async function verifyUsedValues(
  executor: SqlExecutor,
  { proofs }: { proofs: Proofs | undefined },
  watch: Watch,
): Promise<number> {
  let count = 0;
  for (let after: Pick<Row, 'kind' | 'hash'> = { kind: '', hash: '' }; ;) {
    const rows = await executor.query<Row>(nextRows(after));
    for (const row of rows) {
      const fault = proofs && faultOf(row, proofs);
      if (fault === undefined) continue;
      const stream = row.stream_id === null ? '' : `, which finds ${row.stream_id}`;
      watch.finding({ subject: `used value ${row.kind} ${row.hash.slice(0, 16)}${stream}`, fault });
    }
    count += rows.length;
    watch.progress('used values', count, undefined);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last;
  }
}

function faultOf(row: Row, proofs: Proofs): string | undefined {
  const { kind, hash, stream_id: streamId, expires: expiresAt, note, proof } = row;
  if (streamId !== null && !row.isNamed) return 'the stream has no events left';
  if (proof === null) return 'was added by hand: it carries no proof';
  return proofs.isOfUsedValue(proof, { kind, hash, streamId, expiresAt, note }) ? undefined : 'was changed';
}

const nextRows = ({ kind, hash }: Pick<Row, 'kind' | 'hash'>) => ({
  name: 'used-values-page',
  text: `select c.kind, encode(c.value_hash, 'hex') as hash, c.stream_id, ${instant('c.expires_at')} as expires,
      c.note, c.proof, exists (select from events where events.stream_id = c.stream_id) as "isNamed"
    from (
      select * from consumed where (kind, value_hash) > ($1, decode($2, 'hex'))
      order by kind, value_hash limit ${pageSize}) as c
    order by c.kind, c.value_hash`,
  values: [kind, hash],
});
