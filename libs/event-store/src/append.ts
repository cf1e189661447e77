import { type AuditRow, auditValues, insertAudit } from './audit-table';
import type { Statement } from './sql-driver';

export interface EventRow {
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  /** JSON text, written once and never parsed again on its way to the database. */
  readonly data: string;
  readonly metadata: string;
}

export interface StreamRow {
  readonly streamId: string;
  readonly category: string;
  readonly parent: string | null;
  readonly version: number;
  readonly state: string;
}

export interface ConsumedRow {
  readonly kind: string;
  /** hex */
  readonly hash: string;
  readonly streamId: string | null;
  readonly expiresAt: string | null;
  readonly note: string | null;
}

export interface DataKeyRow {
  readonly streamId: string;
  /** hex */
  readonly sealed: string;
}

/** Everything one unit of work writes. */
export interface Write {
  readonly unit: string;
  readonly events: readonly EventRow[];
  readonly streams: readonly StreamRow[];
  readonly consumed: readonly ConsumedRow[];
  readonly dataKeys: readonly DataKeyRow[];
  /** Streams whose data key is destroyed. */
  readonly erased: readonly string[];
  readonly audit: readonly AuditRow[];
}

// Arrays travel as text and are cast inside, so that every driver can send them.
const fold = `insert into streams as s (stream_id, category, parent, version, state, created_at, updated_at)
    select stream_id, category, parent, version, state::jsonb, now(), now()
    from unnest($6::text[], $7::text[], $8::text[], $9::int[], $10::text[]) as r (stream_id, category, parent, version, state)
    on conflict (stream_id) do update
    set parent = excluded.parent, version = excluded.version, state = excluded.state, updated_at = excluded.updated_at`;

const consume = (n: number): string => `insert into consumed (kind, value_hash, stream_id, expires_at, note)
    select kind, decode(hash, 'hex'), stream_id, expires_at::timestamptz, note
    from unnest($${n}::text[], $${n + 1}::text[], $${n + 2}::text[], $${n + 3}::text[], $${n + 4}::text[])
      as r (kind, hash, stream_id, expires_at, note)`;

const keep = (n: number): string => `insert into data_keys (stream_id, sealed_key)
    select stream_id, decode(sealed, 'hex') from unnest($${n}::text[], $${n + 1}::text[]) as r (stream_id, sealed)`;

const destroy = (n: number): string => `delete from data_keys where stream_id = any($${n}::text[])`;

// The main statement, hence carried out first: the append is the first write of its transaction, so that a stream's order and the
// order of transaction ids agree. Its primary key is the conflict check; when any part fails, nothing of the whole remains.
const append = `insert into events (stream_id, version, type, data, metadata)
  select stream_id, version, type, data::jsonb, metadata::jsonb
  from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[]) as r (stream_id, version, type, data, metadata)`;

// A statement that was sent to a server that hung, or that waited for a lock, must not be carried out for clients that have
// given up. It is looked at once, before the first row; the division is the shortest way to fail all of the statement.
const inTime = (n: number): string => `where (select 1 / (clock_timestamp() < $${n}::timestamptz)::int) = 1`;

/** SQLSTATE division_by_zero: the statement came too late. Nothing else in it divides. */
export const tooLate = '22012';

/**
 * One statement that writes all of the given units or none. Rows are sorted, so that two statements over the same rows wait for each
 * other instead of locking each other out.
 * @param until by the database's clock; when it begins later it fails with `tooLate`
 */
export function appendStatement(writes: readonly Write[], until?: Date): Statement {
  const events = writes.flatMap((write) => write.events).sort(byStream);
  const streams = writes.flatMap((write) => write.streams).sort(byStream);
  const consumed = writes.flatMap((write) => write.consumed).sort(byValue);
  const dataKeys = writes.flatMap((write) => write.dataKeys).sort(byStream);
  const erased = writes.flatMap((write) => write.erased).sort();

  // Parts without rows are left out: each costs the server its start-up, and most units have none of them.
  let name = 'append';
  const parts = [`folded as (${fold})`];
  const values: unknown[] = [
    events.map((row) => row.streamId),
    events.map((row) => row.version),
    events.map((row) => row.type),
    events.map((row) => row.data),
    events.map((row) => row.metadata),
    streams.map((row) => row.streamId),
    streams.map((row) => row.category),
    streams.map((row) => row.parent),
    streams.map((row) => row.version),
    streams.map((row) => row.state),
  ];
  if (consumed.length > 0) {
    name += '-consume';
    parts.push(`used as (${consume(values.length + 1)})`);
    values.push(
      consumed.map((row) => row.kind),
      consumed.map((row) => row.hash),
      consumed.map((row) => row.streamId),
      consumed.map((row) => row.expiresAt),
      consumed.map((row) => row.note),
    );
  }
  if (dataKeys.length > 0) {
    name += '-keep';
    parts.push(`kept as (${keep(values.length + 1)})`);
    values.push(
      dataKeys.map((row) => row.streamId),
      dataKeys.map((row) => row.sealed),
    );
  }
  if (erased.length > 0) {
    name += '-destroy';
    parts.push(`destroyed as (${destroy(values.length + 1)})`);
    values.push(erased);
  }
  const audit = writes.flatMap((write) => write.audit);
  if (audit.length > 0) {
    name += '-audit';
    parts.push(`audited as (${insertAudit(values.length + 1)})`);
    values.push(...auditValues(audit));
  }
  values.push(until?.toISOString() ?? 'infinity');
  return { name, text: `with ${parts.join(',\n  ')}\n${append} ${inTime(values.length)}`, values };
}

/** Which of the units were committed, by the id each left in its events. */
export function committedUnits(writes: readonly Write[]): Statement {
  const first = writes.flatMap((write) => write.events.slice(0, 1));
  return {
    name: 'committed-units',
    // As in stream-reader.ts: a plain join may be planned to read every event there is.
    text: `select e.metadata->>'unit' as unit
      from unnest($1::text[], $2::int[]) as r (stream_id, version)
      cross join lateral (
        select metadata from events
        where events.stream_id = r.stream_id collate "C" and events.version = r.version limit 1) as e`,
    values: [first.map((row) => row.streamId), first.map((row) => row.version)],
  };
}

function byStream(a: { streamId: string; version?: number }, b: { streamId: string; version?: number }): number {
  if (a.streamId !== b.streamId) return a.streamId < b.streamId ? -1 : 1;
  return (a.version ?? 0) - (b.version ?? 0);
}

function byValue(a: ConsumedRow, b: ConsumedRow): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.hash < b.hash ? -1 : 1;
}
