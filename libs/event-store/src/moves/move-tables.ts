import { setTimeout as delay } from 'node:timers/promises';
import type { SqlDriver, SqlExecutor, SqlTransaction } from '../database/sql-driver';
import { isBehind, readPosition } from '../subscriptions/subscription-position';
import { lastPosition, type MovedTable, tablesOfStore } from './moved-table';

/** What is of one tenant, in all tables of a store. */
export interface TenantRows {
  readonly mark: string;
  /** Of all streams that there are. */
  readonly categories: readonly string[];
  /** Of modules; those of the store itself come before them. */
  readonly tables: readonly MovedTable[];
}

/** Rows in one statement. */
const pageSize = 500;
/** Milliseconds for one statement: counting what a large tenant has takes its time. */
const patience = 60 * 60 * 1000;
// Both servers write the same value as the same text.
const unbounded = `set local statement_timeout = 0; set local lock_timeout = 0; set local timezone = 'UTC'; set local bytea_output = 'hex'`;

/** Why a tenant cannot be moved, in a sentence for operators. */
export class TenantMoveError extends Error {
  override readonly name = 'TenantMoveError';
}

/** From now on nothing is appended for the tenant here. What was under way is there, or refused, when this resolves. */
export async function holdBack(driver: SqlDriver, mark: string): Promise<void> {
  await driver.transaction(async (tx) => {
    await tx.query({
      name: '',
      text: `select pg_advisory_xact_lock(hashtextextended('tenant ' || $1::text, 0))`,
      values: [mark],
    });
    await tx.query({
      name: '',
      text: 'insert into moving_tenants (tenant) values ($1) on conflict do nothing',
      values: [mark],
    });
  });
}

/** Waits until the subscriptions have handled all events of the tenant here. @param milliseconds after which it throws `TenantMoveError` */
export async function handledAll(
  driver: SqlDriver,
  rows: TenantRows,
  subscriptions: readonly string[],
  milliseconds: number,
): Promise<void> {
  const [last] = await driver.query<{ tx: string; position: string }>({
    name: '',
    text: `select tx::text, position::text from events where ${ofStreams(rows)('stream_id')}
      order by events.tx desc, events.position desc limit 1`,
    values: [],
    timeout: patience,
  });
  if (!last) return;
  const until = performance.now() + milliseconds;
  for (const name of subscriptions) {
    while (isBehind(await readPosition(driver, name), last)) {
      if (performance.now() > until) {
        throw new TenantMoveError(
          `The reader "${name}" has not come to the last event of the tenant: the service has to run while a tenant moves. Repeat the command.`,
        );
      }
      await delay(100);
    }
  }
}

/**
 * Copies all rows of a tenant, as they are at one moment, in one transaction that commits when both stores have the same. What was copied
 * before, and what is left of an earlier stay, is replaced. The roles must own the tables. Throws `TenantMoveError`.
 */
export async function copyRows(from: SqlDriver, to: SqlDriver, rows: TenantRows): Promise<void> {
  await from.transaction(async (source) => {
    await source.script(`set transaction isolation level repeatable read read only; ${unbounded}`);
    await to.transaction(async (target) => {
      await target.script(unbounded);
      await raisePositions(source, target);
      for (const table of allOf(rows)) {
        await copyTable(source, target, table, rows);
        await assertSame(source, target, table, rows);
      }
      await target.query({
        name: '',
        text: 'insert into tenant_arrivals (tx, tenant) values (pg_current_xact_id(), $1)',
        values: [rows.mark],
      });
      await target.query({ name: '', text: 'delete from moving_tenants where tenant = $1', values: [rows.mark] });
    });
  });
}

/** Throws `TenantMoveError` when something was stored after it was copied. */
export async function assertCopied(from: SqlDriver, to: SqlDriver, rows: TenantRows): Promise<void> {
  await from.transaction(async (source) => {
    await source.script(unbounded);
    await to.transaction(async (target) => {
      await target.script(unbounded);
      for (const table of allOf(rows).filter(({ isHistory = false }) => isHistory))
        await assertSame(source, target, table, rows);
    });
  });
}

/** Removes from a store what a tenant that has gone does not leave behind. */
export async function removeRows(driver: SqlDriver, rows: TenantRows): Promise<void> {
  await driver.transaction(async (tx) => {
    await tx.script(unbounded);
    // What others are found by goes last.
    for (const table of allOf(rows)
      .filter(({ leaves = false }) => leaves)
      .reverse())
      await tx.script(`delete from ${table.table} where ${conditionOf(table, rows)}`);
  });
}

/** Whether the role of the connection owns the tables, as a move needs it. */
export async function ownsTables(executor: SqlExecutor): Promise<boolean> {
  const [row] = await executor.query<{ owns: boolean }>({
    name: '',
    text: `select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'events'::regclass`,
    values: [],
  });
  return row?.owns === true;
}

function allOf({ tables }: TenantRows): readonly MovedTable[] {
  return [...tablesOfStore, ...tables];
}

/** The character after the dash ends the range of the ids of a category. */
function ofStreams({ mark, categories }: TenantRows): (column: string) => string {
  if (!/^[a-z0-9]+$/.test(mark)) throw new Error(`"${mark}" is not the mark of a tenant.`);
  const names = categories.map((category) => `${category}~${mark}`);
  return (column) => `(${names.map((name) => `(${column} >= '${name}-' and ${column} < '${name}.')`).join(' or ')})`;
}

function conditionOf(table: MovedTable, rows: TenantRows): string {
  return table.of(rows.mark, ofStreams(rows));
}

/** Positions are ids of events: what comes later at the other store has higher ones than what the tenant has had. */
async function raisePositions(source: SqlExecutor, target: SqlExecutor): Promise<void> {
  const [row] = await source.query<{ last: string }>({
    name: '',
    text: `select ${lastPosition}::text as last`,
    values: [],
  });
  await target.query({
    name: '',
    text: `select setval(pg_get_serial_sequence('events', 'position'), $1::text::bigint) where $1::text::bigint > ${lastPosition}`,
    values: [row?.last ?? '0'],
  });
}

async function copyTable(
  source: SqlTransaction,
  target: SqlTransaction,
  table: MovedTable,
  rows: TenantRows,
): Promise<void> {
  const { columns, key, anew = {}, isHistory = false } = table;
  const condition = conditionOf(table, rows);
  if (!isHistory) await target.script(`delete from ${table.table} where ${condition}`);
  const order = table.table === 'events' ? ['tx', 'position'] : key;
  await source.script(
    `declare moved no scroll cursor for select to_jsonb(one)::text as row
      from (select ${columns.join(', ')} from ${table.table} where ${condition} order by ${order.join(', ')}) as one`,
  );
  const names = [...columns, ...Object.keys(anew)].join(', ');
  const values = [...columns.map((column) => `r.${column}`), ...Object.values(anew)].join(', ');
  const insert = `insert into ${table.table} (${names})
    select ${values} from jsonb_populate_recordset(null::${table.table}, $1::text::jsonb) with ordinality as r
    order by r.ordinality ${isHistory ? 'on conflict do nothing' : ''}`;
  for (;;) {
    const page = await source.query<{ row: string }>({
      name: '',
      text: `fetch ${pageSize} from moved`,
      values: [],
      timeout: patience,
    });
    if (page.length > 0) {
      const given = `[${page.map(({ row }) => row).join(',')}]`;
      await target.query({ name: '', text: insert, values: [given], timeout: patience });
    }
    if (page.length < pageSize) break;
  }
  await source.script('close moved');
}

interface Digest {
  readonly count: string;
  readonly digest: string;
}

async function assertSame(
  source: SqlExecutor,
  target: SqlExecutor,
  table: MovedTable,
  rows: TenantRows,
): Promise<void> {
  const [there, here] = await Promise.all([digestOf(source, table, rows), digestOf(target, table, rows)]);
  const isSame = there.count === here.count && there.digest === here.digest;
  if (isSame || (table.ages === true && Number(here.count) >= Number(there.count))) return;
  throw new TenantMoveError(
    `The stores do not have the same of the tenant: ${there.count} rows of ${table.table} in the one and ${here.count} in the other. ` +
      'Every replica has to have the release and the SERVICE__STORES__DIRECTORY of this command. Repeat it.',
  );
}

async function digestOf(executor: SqlExecutor, table: MovedTable, rows: TenantRows): Promise<Digest> {
  const { columns, key } = table;
  const [row] = await executor.query<Digest>({
    name: '',
    text: `select count(*)::text as count, coalesce(md5(string_agg(md5(one.content), '' order by ${key.map((name) => `one.${name}`).join(', ')})), '') as digest
      from (select ${key.join(', ')}, (select to_jsonb(r)::text from (select ${columns.map((column) => `t.${column}`).join(', ')}) as r) as content
        from ${table.table} as t where ${conditionOf(table, rows)}) as one`,
    values: [],
    timeout: patience,
  });
  if (!row) throw new Error('The database returned no digest.');
  return row;
}
