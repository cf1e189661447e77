import { ofTenant } from '@app/primitives/context';
import type { SingleUse } from '../streams/aggregate';
import type { SqlExecutor, Statement } from '../database/sql-driver';
import type { EventMetadata, UsedValue } from '../streams/stored-event';
import type { ConsumedRow } from './pending-write';

export function toConsumed(value: SingleUse, streamId: string | null): ConsumedRow {
  return {
    kind: ofTenant(value.kind),
    hash: value.hash.toString('hex'),
    streamId: value.bindsStream === true ? streamId : null,
    expiresAt: value.expiresAt?.toISOString() ?? null,
    note: value.note ?? null,
  };
}

/**
 * Has the first event of a unit name the values that the unit uses up, and the first one of a stream those that are bound
 * to it: so a row that is missing is noticed, and can be made again.
 */
export function nameUsed(
  consumed: readonly ConsumedRow[],
  events: readonly { readonly streamId: string; metadata: EventMetadata }[],
): void {
  for (const row of consumed) {
    const { streamId } = row;
    const namedBy = streamId === null ? events[0] : events.find((event) => event.streamId === streamId);
    if (!namedBy) continue;
    const { metadata } = namedBy;
    namedBy.metadata = { ...metadata, used: [...(metadata.used ?? []), toNamed(row)] };
  }
}

function toNamed({ kind, hash, streamId, expiresAt }: ConsumedRow): UsedValue {
  return {
    kind,
    hash: Buffer.from(hash, 'hex').toString('base64url'),
    ...(expiresAt !== null && { expiresAt }),
    ...(streamId !== null && { bound: true }),
  };
}
/** The row that an event of a stream names; its note cannot be made again. */
export function fromNamed({ kind, hash, expiresAt, bound }: UsedValue, streamId: string): ConsumedRow {
  return {
    kind,
    hash: Buffer.from(hash, 'base64url').toString('hex'),
    streamId: bound === true ? streamId : null,
    expiresAt: expiresAt ?? null,
    note: null,
  };
}

/** The streams bound to values of a kind that begin with these bytes. */
export function boundStatement(kind: string, prefixes: readonly Buffer[], most: number): Statement {
  return {
    name: 'bound-by-prefix',
    text: `select distinct c.stream_id from (select decode(hex, 'hex') as prefix from unnest((select $2::text[])) t (hex)) p cross join lateral (
        select stream_id from consumed where kind = $1 and value_hash >= p.prefix and value_hash <= p.prefix || '\\xffffffffffffffffffffffffffffffff'
          and stream_id is not null and (expires_at is null or expires_at > now())
        order by value_hash limit $3
      ) c limit $3`,
    values: [kind, prefixes.map((prefix) => prefix.toString('hex')), most],
  };
}

/** The note left with a used value that has not expired by the database's clock. */
export async function noteOfValue(executor: SqlExecutor, kind: string, hash: Buffer): Promise<string | undefined> {
  const [row] = await executor.query<{ note: string | null }>({
    name: 'note-of-value',
    text: `select note from consumed where kind = $1 and value_hash = decode($2, 'hex')
      and (expires_at is null or expires_at > now())`,
    values: [ofTenant(kind), hash.toString('hex')],
  });
  return row?.note ?? undefined;
}

/** Removes those that expired two hours ago by the database's clock: even a clock set back an hour revives none. */
export async function removeExpiredValues(executor: SqlExecutor): Promise<number> {
  for (let removed = 0; ;) {
    const rows = await executor.query({
      name: 'remove-expired',
      // Up to a time and not by ctid, which rows of two partitions may have in common.
      text: `delete from consumed where expires_at <= (select max(expires_at) from
        (select expires_at from consumed where expires_at < now() - interval '2 hours' order by expires_at limit 5000) as old)
        returning 1 as one`,
      values: [],
    });
    removed += rows.length;
    if (rows.length < 5000) return removed;
  }
}
