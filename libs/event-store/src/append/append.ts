import { auditStatement, auditValues, insertAudit } from '../audit-table';
import type { Proofs } from '../proofs/proofs';
import type { Statement } from '../database/sql-driver';
import type { ConsumedRow, EventRow, StreamRow, PendingWrite } from './pending-write';

// Arrays travel as text and are cast inside, so that every driver can send them.
const fold = `insert into streams as s (stream_id, category, parent, version, state, created_at, updated_at, head, fold_version,
      fold_upto)
    select stream_id, category, parent, version, state::jsonb, at::timestamptz, at::timestamptz, decode(head, 'hex'),
      fold_version, version
    from unnest($8::text[], $9::text[], $10::text[], $11::int[], $12::text[], $13::text[], $14::text[], $15::int[])
      as r (stream_id, category, parent, version, state, at, head, fold_version)
    on conflict (stream_id) do update
    set parent = excluded.parent, version = excluded.version, state = excluded.state, updated_at = excluded.updated_at,
      head = excluded.head, fold_version = excluded.fold_version, fold_upto = excluded.fold_upto`;

const consume = (n: number): string => `insert into consumed (kind, value_hash, stream_id, expires_at, note, proof)
    select kind, decode(hash, 'hex'), stream_id, expires_at::timestamptz, note, decode(proof, 'hex')
    from unnest($${n}::text[], $${n + 1}::text[], $${n + 2}::text[], $${n + 3}::text[], $${n + 4}::text[], $${n + 5}::text[])
      as r (kind, hash, stream_id, expires_at, note, proof)`;

const keep = (n: number): string => `insert into data_keys (stream_id, sealed_key)
    select stream_id, decode(sealed, 'hex') from unnest($${n}::text[], $${n + 1}::text[]) as r (stream_id, sealed)`;

const destroy = (n: number): string => `delete from data_keys where stream_id = any($${n}::text[])`;

// The main statement, hence carried out first: the append is the first write of its transaction, so that a stream's order and the
// order of transaction ids agree. Its primary key is the conflict check; when any part fails, nothing of the whole remains.
const append = `insert into events (stream_id, version, type, data, metadata, recorded_at, proof)
  select stream_id, version, type, data::jsonb, metadata::jsonb, at::timestamptz, decode(proof, 'hex')
  from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    as r (stream_id, version, type, data, metadata, at, proof)`;

// The rows of `streams` that are written get the same as their `xmin`.
const returning = 'returning tx::xid::text as tx';

// A statement that was sent to a server that hung, or that waited for a lock, must not be carried out for clients that have
// given up; nor may one be whose writer has lost the database's clock, which gives the events their time. It is checked
// once, before the first row; the division is the shortest way to fail all of the statement.
const inTime = (n: number): string => `where (select 1 / (clock_timestamp() < $${n + 1}::timestamptz
    and abs(extract(epoch from clock_timestamp() - $${n}::timestamptz)) < 15)::int) = 1`;

/** SQLSTATE division_by_zero: the statement came too late, or with a wrong time. Nothing else in it divides. */
export const tooLate = '22012';

// What was decided on streams as this process knew them holds only if they are so still: same version, same proof of the last
// event (a database that was restored may have the version with another history), a row that was not written since (a
// rebuild leaves version and proof as they are), and the data key if there was one. The root of -1 fails all of the statement,
// otherwise than `inTime`.
const asPresumed = (n: number): string => `and (select sqrt((count(*) = cardinality($${n}::text[]))::int - 1)
    from unnest($${n}::text[], $${n + 1}::int[], $${n + 2}::text[], $${n + 3}::text[], $${n + 4}::boolean[])
      as r (stream_id, version, head, tx, sealed)
    cross join lateral (
      select 1 from streams s
      where s.stream_id = r.stream_id collate "C" and s.version = r.version and s.head is not distinct from decode(r.head, 'hex')
        and s.xmin = r.tx::xid and (not r.sealed or exists (select from data_keys k where k.stream_id = r.stream_id collate "C"))
      limit 1) as found) = 0`;

/** SQLSTATE invalid_argument_for_power_function: a stream is not as it was presumed to be. Nothing else takes a root. */
export const notAsPresumed = '2201F';

// A tenant that is being moved to another store writes nothing here any more.
const isHere = (n: number): string => `(select tenants_are_here($${n}::text[]))`;

/** SQLSTATE of `tenants_are_here`. */
export const movingAway = 'SW001';

/** What a statement is made with, besides the units. */
export interface Stamp {
  /** The database's clock as the writer knows it, in microseconds: the time of the events. See `DatabaseClock.stamp`. */
  readonly now: string;
  /** By the database's clock; when the statement begins later it fails with `tooLate`. */
  readonly until?: Date | undefined;
  readonly proofs?: Proofs | undefined;
  /** Whether tenants may move to another store. */
  readonly mayMove?: boolean;
}

/** Time and proof of an event or a state, as they are written. */
interface Stamped {
  readonly at: string;
  readonly proof: string | null;
}

/** What the statement leaves of each stream that has a state in it. */
type Heads = ReadonlyMap<string, Head>;
interface Head extends Stamped {
  readonly bytes: Buffer | undefined;
}

/** What a statement has stored. */
export interface Stored {
  readonly heads: Heads;
  /** Its transaction, as `xmin` of the rows. */
  readonly tx: string;
}

export interface Append extends Statement {
  readonly heads: Heads;
}

/**
 * One statement that writes all of the given units or none. Rows are sorted, so that two statements over the same rows wait for each
 * other instead of locking each other out.
 */
export function appendStatement(
  writes: readonly PendingWrite[],
  { now, until, proofs, mayMove = false }: Stamp,
): Append {
  const streams = writes.flatMap((write) => write.streams).sort(byStream);
  const { events, heads } = stamped(writes.flatMap((write) => write.events).sort(byStream), streams, { now, proofs });
  const consumed = writes.flatMap((write) => write.consumed).sort(byValue);
  const dataKeys = writes.flatMap((write) => write.dataKeys).sort(byStream);
  const erased = writes.flatMap((write) => write.erased).sort();
  const audit = writes.flatMap((write) => write.audit);
  const presumed = writes.flatMap((write) => write.presumed ?? []);
  const tenants = mayMove ? [...new Set(writes.flatMap(({ tenant }) => tenant ?? []))] : [];

  // Reads of personal data write nothing else. That their client has given up makes no row of the audit wrong.
  if (events.length + streams.length + consumed.length + dataKeys.length + erased.length === 0) {
    if (tenants.length === 0) return { ...auditStatement(audit), heads };
    const values = auditValues(audit);
    const text = insertAudit(1, `where ${isHere(values.length + 1)} `);
    return { name: 'audit-record-here', text, values: [...values, tenants], heads };
  }

  // Parts without rows are left out: each costs the server its start-up, and most units have none of them.
  let name = 'append';
  const parts = [`folded as (${fold})`];
  const values: unknown[] = [
    events.map((row) => row.streamId),
    events.map((row) => row.version),
    events.map((row) => row.type),
    events.map((row) => row.data),
    events.map((row) => row.metadata),
    events.map((row) => row.at),
    events.map((row) => row.proof),
    streams.map((row) => row.streamId),
    streams.map((row) => row.category),
    streams.map((row) => row.parent),
    streams.map((row) => row.version),
    streams.map((row) => row.state),
    streams.map((row) => heads.get(row.streamId)?.at ?? now),
    streams.map((row) => heads.get(row.streamId)?.proof ?? null),
    streams.map((row) => row.foldVersion),
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
      consumed.map((row) => proofs?.ofUsedValue(row).toString('hex') ?? null),
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
  if (audit.length > 0) {
    name += '-audit';
    parts.push(`audited as (${insertAudit(values.length + 1)})`);
    values.push(...auditValues(audit));
  }
  values.push(now, until?.toISOString() ?? 'infinity');
  let condition = inTime(values.length - 1);
  if (presumed.length > 0) {
    name += '-presumed';
    condition += `\n  ${asPresumed(values.length + 1)}`;
    values.push(
      presumed.map((row) => row.streamId),
      presumed.map((row) => row.version),
      presumed.map((row) => row.head),
      presumed.map((row) => row.tx),
      presumed.map((row) => row.sealed),
    );
  }
  if (tenants.length > 0) {
    name += '-here';
    condition += `\n  and ${isHere(values.length + 1)}`;
    values.push(tenants);
  }
  return { name, text: `with ${parts.join(',\n  ')}\n${append} ${condition}\n  ${returning}`, values, heads };
}

/** Gives the events their times and proofs, in the order of each stream. */
function stamped(
  events: readonly EventRow[],
  streams: readonly StreamRow[],
  { now, proofs }: Stamp,
): { readonly events: readonly (EventRow & Stamped)[]; readonly heads: Heads } {
  const heads = new Map<string, Head>();
  for (const { streamId, head, updatedAt } of streams) {
    // Clocks of several replicas differ by milliseconds; within a stream time never goes back.
    const at = updatedAt === undefined || endOfMillisecond(updatedAt) < now ? now : endOfMillisecond(updatedAt);
    heads.set(streamId, { at, proof: head?.toString('hex') ?? null, bytes: head });
  }
  const rows = events.map((event) => {
    const { at = now, bytes: previous } = heads.get(event.streamId) ?? {};
    const bytes = proofs?.ofEvent({ ...event, recordedAt: at }, previous);
    if (bytes) heads.set(event.streamId, { at, proof: bytes.toString('hex'), bytes });
    return { ...event, at, proof: bytes?.toString('hex') ?? null };
  });
  return { events: rows, heads };
}

/** A Date has lost the microseconds of what is stored. */
function endOfMillisecond(time: Date): string {
  return time.toISOString().replace('Z', '999Z');
}

/** Which of the units were committed, by the id each left in its events. */
export function committedUnits(writes: readonly PendingWrite[]): Statement {
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
