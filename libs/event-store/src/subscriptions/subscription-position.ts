import type { SqlExecutor } from '../database/sql-driver';

/** How far the events have been read in commit order. */
export interface CommitPosition {
  readonly tx: string;
  readonly position: string;
}

export const firstPosition: CommitPosition = { tx: '0', position: '0' };

/** Whether one comes before the other. */
export function isBehind(one: CommitPosition, other: CommitPosition): boolean {
  const [tx, otherTx] = [BigInt(one.tx), BigInt(other.tx)];
  return tx === otherTx ? BigInt(one.position) < BigInt(other.position) : tx < otherTx;
}

/** The last event that a subscription has handled. */
export async function readPosition(executor: SqlExecutor, name: string): Promise<CommitPosition> {
  const [row] = await executor.query<CommitPosition>({
    name: 'subscription-checkpoint',
    text: 'select tx::text, position::text from subscriptions where name = $1',
    values: [name],
  });
  return row ?? firstPosition;
}

export async function keepPosition(executor: SqlExecutor, name: string, reached: CommitPosition): Promise<void> {
  await executor.query({
    name: 'subscription-advance',
    text: `insert into subscriptions (name, tx, position) values ($1, $2::text::xid8, $3::text::bigint)
      on conflict (name) do update set tx = excluded.tx, position = excluded.position`,
    values: [name, reached.tx, reached.position],
  });
}
