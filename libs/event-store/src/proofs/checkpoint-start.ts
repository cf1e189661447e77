import { type CheckpointContent, type CheckpointReader, parseCheckpoint } from './checkpoint';
import type { SqlExecutor } from '../database/sql-driver';
import { type CommitPosition, firstPosition, isBehind } from '../subscriptions/subscription-position';

/** The row of `subscriptions` that says how far events have been read for checkpoints. */
export const checkpointsPosition = 'checkpoints';

export interface TakenCheckpoint {
  readonly content: CheckpointContent;
  /** Compact JWS */
  readonly signed: string;
}

/** Where the next checkpoint begins. */
export interface CheckpointStart {
  /** By the database's clock. */
  readonly now: Date;
  readonly last: TakenCheckpoint | undefined;
  /** The last checkpoint was added or changed outside the service. */
  readonly isForeign: boolean;
  /** Events behind it may not be covered. */
  readonly after: CommitPosition;
  /** What `subscriptions` says was read, if that is more than checkpoints cover: only tampering leads to this. */
  readonly ahead: CommitPosition | undefined;
}

interface StartRow {
  readonly now: Date;
  readonly number: number | null;
  readonly signed: string | null;
  readonly tx: string | null;
  readonly position: string | null;
}

/**
 * The last checkpoint says how far events are covered: it is signed. The row of `subscriptions`, which the role of the
 * service may change, counts only where it is less, as after the restore on another server, whose transaction ids start again.
 */
export async function checkpointStart(executor: SqlExecutor, keys: CheckpointReader): Promise<CheckpointStart> {
  const [row] = await executor.query<StartRow>({
    name: 'checkpoint-start',
    // One statement: a checkpoint is stored together with the position.
    text: `select now() as now, last.number::float8 as number, last.signed, kept.tx::text, kept.position::text
      from (select 1) as one
      left join lateral (select number, signed from checkpoints order by number desc limit 1) as last on true
      left join lateral (select tx, position from subscriptions where name = $1 limit 1) as kept on true`,
    values: [checkpointsPosition],
  });
  const now = row?.now ?? new Date();
  const kept = row && row.tx !== null && row.position !== null ? { tx: row.tx, position: row.position } : firstPosition;
  const last = row && row.signed !== null ? takenCheckpoint(row.signed, row.number, keys) : undefined;
  if (last === 'foreign') return { now, last: undefined, isForeign: true, after: firstPosition, ahead: undefined };
  const covered = last ? (last.content.reached ?? kept) : firstPosition;
  const isAhead = isBehind(covered, kept);
  return { now, last, isForeign: false, after: isAhead ? covered : kept, ahead: isAhead ? kept : undefined };
}

function takenCheckpoint(signed: string, number: number | null, keys: CheckpointReader): TakenCheckpoint | 'foreign' {
  const content = parseCheckpoint(keys.read(signed))?.content;
  // Under another number it is a copy: the next one's number would be taken.
  return content && content.number === number ? { content, signed } : 'foreign';
}
