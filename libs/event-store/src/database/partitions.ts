import { othersConnected } from './other-processes';
import type { SqlDriver, SqlExecutor, SqlTransaction } from './sql-driver';
import { schemaOfTables, quoted } from './grants';

/** The tables that grow, each with the column by whose hash it is divided; that is part of all of its unique constraints. */
const partitionedTables = [
  { name: 'events', key: 'stream_id' },
  { name: 'streams', key: 'stream_id' },
  { name: 'data_keys', key: 'stream_id' },
  { name: 'consumed', key: 'value_hash' },
] as const;

type PartitionedTable = (typeof partitionedTables)[number];

/** Why tables cannot be partitioned; a sentence that says what to do. */
export class PartitioningError extends Error {
  override readonly name = 'PartitioningError';
}

/** The first version of the server that allows identity columns in partitioned tables. */
const firstVersion = 17;

export interface Partitioned {
  /** Whether they had as many partitions before. */
  readonly isUnchanged: boolean;
  /** How many rows were copied. */
  readonly rows: number;
}

/**
 * Divides the tables that grow into partitions by hash and copies what they hold, in one transaction: all or nothing, with
 * everybody else kept out meanwhile. Throws `PartitioningError` where it changes nothing.
 * @param count partitions of each table
 */
export async function partitionTables(driver: SqlDriver, count: number): Promise<Partitioned> {
  if (await hasPartitions(driver, count)) return { isUnchanged: true, rows: 0 };
  const schema = await schemaOfTables(driver);
  return driver.transaction(async (tx) => {
    await tx.script(
      `set local statement_timeout = 0; set local lock_timeout = 0; set local search_path = ${quoted(schema)}`,
    );
    const names = partitionedTables.map(({ name }) => name).join(', ');
    await tx.script(`lock table ${names} in access exclusive mode`);
    await assertAlone(tx);
    let rows = 0;
    for (const table of partitionedTables) rows += await partition(tx, table, count);
    return { isUnchanged: false, rows };
  });
}

/** Throws `PartitioningError` where `partitionTables` would, also before there are tables. */
export async function assertPartitionable(driver: SqlDriver, count: number): Promise<void> {
  if (!(await hasPartitions(driver, count))) await assertAlone(driver);
}

async function hasPartitions(driver: SqlDriver, count: number): Promise<boolean> {
  await assertPossible(driver, count);
  const { length } = await partitionsOf(driver, 'events');
  if (length === 0 || length === count) return length === count;
  throw new PartitioningError(`The tables have ${length} partitions already, and their number cannot be changed.`);
}

/** The partitions of all tables, or of one; none where tables are not partitioned. */
export async function partitionsOf(
  executor: SqlExecutor,
  table?: PartitionedTable['name'],
): Promise<readonly string[]> {
  const tables = table === undefined ? partitionedTables.map(({ name }) => name) : [table];
  const rows = await executor.query<{ name: string }>({
    name: 'partitions',
    text: `select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = any(select to_regclass(name)::oid from unnest($1::text[]) as asked (name)) order by c.oid`,
    values: [tables],
  });
  return rows.map(({ name }) => name);
}

async function assertPossible(driver: SqlDriver, count: number): Promise<void> {
  if (driver.kind === 'embedded') throw new PartitioningError('An embedded database is not partitioned: use a server.');
  if (!Number.isInteger(count) || count < 2 || count > 256) {
    throw new PartitioningError('Choose from 2 to 256 partitions; 16 suit most.');
  }
  const [server] = await driver.query<{ number: number; version: string }>({
    name: 'server-version',
    text: `select current_setting('server_version_num')::integer / 10000 as number, current_setting('server_version') as version`,
    values: [],
  });
  if (server && server.number < firstVersion) {
    throw new PartitioningError(
      `Partitions need PostgreSQL ${firstVersion} or later, which has identity columns in partitioned tables; this server is ${server.version}.`,
    );
  }
}

/** A service at work would fail for as long as the copy takes. */
async function assertAlone(tx: SqlExecutor): Promise<void> {
  const count = await othersConnected(tx);
  if (count > 0) {
    throw new PartitioningError(
      `The service has connections to this database (${count}): stop all replicas, and repeat this.`,
    );
  }
}

interface Definition {
  /** Of columns that are not generated. */
  readonly columns: string;
  readonly options: string | null;
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
  readonly triggers: readonly string[];
  readonly identity: string | null;
  readonly last: string | null;
}

async function partition(tx: SqlTransaction, { name, key }: PartitionedTable, count: number): Promise<number> {
  const { columns, options, constraints, indexes, triggers, identity, last } = await definitionOf(tx, name);
  const fresh = `${name}_partitioned`;
  const storage = options === null ? '' : ` with (${options})`;
  await tx.script(
    [
      `create table ${fresh} (like ${name} including defaults including constraints including generated including identity
        including storage) partition by hash (${key})`,
      ...Array.from(
        { length: count },
        (_, remainder) => `create table ${name}_p${remainder} partition of ${fresh}
          for values with (modulus ${count}, remainder ${remainder})${storage}`,
      ),
    ].join(';'),
  );
  const [copied] = await tx.query<{ rows: number; read: number }>({
    name: `partition-copy-${name}`,
    text: `with copied as (insert into ${fresh} (${columns}) overriding system value select ${columns} from ${name} returning 1)
      select (select count(*) from copied)::float8 as rows, (select count(*) from ${name})::float8 as read`,
    values: [],
  });
  if (copied?.rows !== copied?.read) throw new Error(`Not all rows of ${name} were copied.`);
  await tx.script(
    [
      `drop table ${name}`,
      `alter table ${fresh} rename to ${name}`,
      ...constraints.map((constraint) => `alter table ${name} add ${constraint}`),
      ...indexes,
      ...triggers,
      ...(identity === null ? [] : sequenceOf(name, identity, last)),
    ].join(';'),
  );
  return copied?.rows ?? 0;
}

/** The sequence gets the name that it has without partitions, which backups of data alone mention. */
function sequenceOf(table: string, column: string, last: string | null): string[] {
  const sequence = `${table}_${column}_seq`;
  return [
    `alter sequence ${table}_partitioned_${column}_seq rename to ${sequence}`,
    ...(last === null ? [] : [`select setval('${sequence}', ${last})`]),
  ];
}

async function definitionOf(tx: SqlExecutor, table: string): Promise<Definition> {
  const [definition] = await tx.query<Definition>({
    name: 'table-definition',
    text: `select
        (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
          where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
        array_to_string(t.reloptions, ', ') as options,
        array(select format('constraint %I %s', conname, pg_get_constraintdef(oid)) from pg_constraint
          where conrelid = t.oid and contype in ('p', 'u') order by conname) as constraints,
        array(select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = t.oid
          and not exists (select from pg_constraint where conindid = i.indexrelid) order by i.indexrelid) as indexes,
        array(select pg_get_triggerdef(g.oid) from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal) as triggers,
        a.attname::text as identity,
        pg_sequence_last_value(pg_get_serial_sequence($1, a.attname::text)::regclass)::text as last
      from pg_class t left join pg_attribute a on a.attrelid = t.oid and a.attidentity <> ''
      where t.oid = to_regclass($1)`,
    values: [table],
  });
  if (!definition) throw new PartitioningError('There are no tables: run "sealwright migrate" first.');
  return definition;
}
