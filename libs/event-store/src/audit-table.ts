import { currentMark, currentTenant } from '@app/primitives/context';
import { randomUUID } from 'node:crypto';
import type { AuditEntry } from './append/attribution';
import { parseCursor, renderCursor } from './lists/cursor';
import { InvalidCursorError } from './errors';
import type { SqlExecutor, Statement } from './database/sql-driver';
import { instant } from './database/sql-instant';

/** A row to write. The id makes writing it twice the same as writing it once. */
export interface AuditRow extends AuditEntry {
  readonly id: string;
  /** The mark of the tenant whose caller it is about; empty for those of the service. */
  readonly tenant: string;
}

/** A row that was read. */
export interface RecordedAudit extends Required<AuditEntry> {
  /** By the database's clock. */
  readonly recordedAt: Date;
}

/** The columns by which the audit is filtered. */
export const auditFilters = ['principal', 'client', 'action', 'object', 'outcome'] as const;

/** Filters match exactly. */
export interface AuditPageQuery extends Partial<Readonly<Record<(typeof auditFilters)[number], string>>> {
  /** Date-time; the first moment that is included. */
  readonly from?: string;
  /** Date-time; the first moment that is not included any more. */
  readonly to?: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  readonly items: readonly RecordedAudit[];
  readonly nextCursor: string | null;
}

/** What an index of a B-tree takes is 2,704 bytes; longer texts would refuse the row. */
const longest = 512;
const usualOutcome = 'ok';
/** Cursors are those of the other lists, with this in place of a category: those of one tenant are of no use to another. */
const category = (): string => {
  const { mark } = currentTenant() ?? {};
  return mark === undefined ? 'audit' : `audit~${mark}`;
};
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function auditRow(entry: AuditEntry): AuditRow {
  const { principal, client, action, object, outcome, requestId, count } = entry;
  return {
    id: randomUUID(),
    tenant: currentMark(),
    principal: storable(principal),
    client: client === null ? null : storable(client),
    action,
    object: object === null ? null : storable(object),
    outcome,
    requestId,
    ...(count !== undefined && { count }),
  };
}

/** @param n number of the first parameter; `auditValues` has the values */
export const insertAudit = (n: number, condition = ''): string =>
  `insert into audit (id, principal, client, action, object, outcome, request_id, count, tenant)
    select id::uuid, principal, client, action, object, outcome, request_id, count, tenant
    from unnest($${n}::text[], $${n + 1}::text[], $${n + 2}::text[], $${n + 3}::text[], $${n + 4}::text[], $${n + 5}::text[],
      $${n + 6}::text[], $${n + 7}::int[], $${n + 8}::text[]) as r
      (id, principal, client, action, object, outcome, request_id, count, tenant)
    ${condition}on conflict (id) do nothing`;

export function auditValues(rows: readonly AuditRow[]): unknown[] {
  return [
    rows.map(({ id }) => id),
    rows.map(({ principal }) => principal),
    rows.map(({ client }) => client),
    rows.map(({ action }) => action),
    rows.map(({ object }) => object),
    rows.map(({ outcome }) => outcome),
    rows.map(({ requestId }) => requestId),
    rows.map(({ count = 1 }) => count),
    rows.map(({ tenant }) => tenant),
  ];
}

/** A statement that writes rows and nothing else. */
export function auditStatement(rows: readonly AuditRow[]): Statement {
  return { name: 'audit-record', text: insertAudit(1), values: auditValues(rows) };
}

/** Writes one row in a separate statement. */
export async function recordAudit(executor: SqlExecutor, entry: AuditEntry): Promise<void> {
  await executor.query(auditStatement([auditRow(entry)]));
}

/** Whether the tables are new enough to have an audit. */
export async function hasAudit(executor: SqlExecutor): Promise<boolean> {
  const [row] = await executor.query<{ exists: boolean }>({
    name: 'audit-exists',
    text: `select to_regclass('audit') is not null as exists`,
    values: [],
  });
  return row?.exists === true;
}

/** A page of what the callers of the issuer at hand did, the newest first. Throws `InvalidCursorError`. */
export async function listAudit(executor: SqlExecutor, query: AuditPageQuery): Promise<AuditPage> {
  const rows = await executor.query<RecordedAudit & { id: string; sortedBy: string }>(listStatement(query));
  const last = rows[query.limit - 1];
  const more = rows.length > query.limit && last !== undefined;
  return {
    items: rows.slice(0, query.limit).map(({ id: _id, sortedBy: _sortedBy, ...recorded }) => recorded),
    nextCursor: more ? renderCursor({ sortedBy: last.sortedBy, streamId: `${category()}-${last.id}` }) : null,
  };
}

/** Removes rows older than this many days, thirty at least, by the database's clock. @returns how many */
export async function removeOldAudit(executor: SqlExecutor, days: number): Promise<number> {
  for (let removed = 0; ;) {
    const [row] = await executor.query<{ removed: number }>({
      name: 'audit-remove-old',
      text: 'select remove_old_audit($1::integer) as removed',
      values: [days],
    });
    const count = row?.removed ?? 0;
    removed += count;
    if (count < 5000) return removed;
  }
}

function listStatement({ from, to, limit, cursor, ...wanted }: AuditPageQuery): Statement {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const { mark } = currentTenant() ?? {};
  const conditions = [mark === undefined ? `tenant = ''` : `tenant <> '' and tenant = ${bind(mark)}`];
  let name = mark === undefined ? 'audit-list' : 'audit-list-tenant';
  for (const filter of auditFilters) {
    const value = wanted[filter];
    if (value === undefined) continue;
    // Names of prepared statements end after 63 characters.
    name += `-${filter.slice(0, 3)}`;
    conditions.push(`${filter} = ${bind(storable(value))}`);
    if (filter !== 'outcome' || value === usualOutcome) continue;
    // The index has all others, and serves only what names its condition.
    name += '-other';
    conditions.push(`outcome <> '${usualOutcome}'`);
  }
  if (from !== undefined) {
    name += '-from';
    conditions.push(`recorded_at >= ${bind(inUtc(from))}::text::timestamptz`);
  }
  if (to !== undefined) {
    name += '-to';
    conditions.push(`recorded_at < ${bind(inUtc(to))}::text::timestamptz`);
  }
  if (cursor !== undefined) {
    name += '-after';
    const { sortedBy, streamId } = parseCursor(cursor, category(), 'creation');
    const id = streamId.slice(category().length + 1);
    if (!uuid.test(id)) throw new InvalidCursorError();
    conditions.push(`(recorded_at, id) < (${bind(sortedBy)}::text::timestamptz, ${bind(id)}::text::uuid)`);
  }
  const text = `select id::text as id, recorded_at as "recordedAt", principal, client, action, object, outcome,
      request_id as "requestId", count,
      ${instant('recorded_at')} as "sortedBy"
    from audit where ${conditions.join(' and ')} order by recorded_at desc, id desc limit ${bind(limit + 1)}`;
  return { name, text, values };
}

/** PostgreSQL reads no offset beyond 15:59; RFC 3339 has them up to 23:59. */
function inUtc(dateTime: string): string {
  return new Date(dateTime).toISOString();
}

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\ufffd').slice(0, longest)).toString();
}
