import type { SqlExecutor } from './sql-driver';

type TableRight = 'select' | 'insert' | 'update' | 'delete';

/** What the service does with one table or function, and so what its role must be allowed. */
export type RoleRight =
  | { readonly table: string; readonly rights: readonly TableRight[] }
  | { readonly function: string; readonly rights: readonly ['execute'] };

/**
 * Everything the service needs when it runs as a role that does not own the tables. Of `events`, `audit`, `checkpoints` and
 * `status_changes` it reads and adds rows only: an attacker with the role cannot change history.
 */
export const roleRights: readonly RoleRight[] = [
  { table: 'events', rights: ['select', 'insert'] },
  { table: 'streams', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'consumed', rights: ['select', 'insert', 'delete'] },
  { table: 'data_keys', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'folds', rights: ['select', 'insert', 'update'] },
  { table: 'erasure_key_database', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'subscriptions', rights: ['select', 'insert', 'update'] },
  { table: 'status_list_versions', rights: ['select', 'insert', 'update'] },
  { table: 'status_changes', rights: ['select', 'insert'] },
  { table: 'key_store', rights: ['select', 'insert', 'update'] },
  { table: 'api_keys', rights: ['select', 'insert', 'update'] },
  { table: 'console_sessions', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'rate_limits', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'audit', rights: ['select', 'insert'] },
  { table: 'checkpoints', rights: ['select', 'insert'] },
  { table: 'trust_lists', rights: ['select', 'insert', 'update'] },
  { table: 'webhook_receivers', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'webhook_deliveries', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'webhook_replays', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'store_identity', rights: ['select', 'insert'] },
  { table: 'moving_tenants', rights: ['select'] },
  { table: 'tenant_arrivals', rights: ['select'] },
  { table: 'imports', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'import_files', rights: ['select', 'insert', 'delete'] },
  { table: 'import_rows', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'images', rights: ['select', 'insert', 'delete'] },
  { table: 'offer_deliveries', rights: ['select', 'insert', 'update', 'delete'] },
  { table: 'schema_migrations', rights: ['select'] },
  { table: 'clock_watch', rights: ['select'] },
  { function: 'look_at_clock()', rights: ['execute'] },
  { function: 'tenants_are_here(text[])', rights: ['execute'] },
  { function: 'remove_old_audit(integer)', rights: ['execute'] },
];

/**
 * One statement for each grant, without semicolons. Of partitions only what lets the server say which value was used before.
 * @param schema the one that holds the tables
 * @param granted of the database of the events when absent
 */
export function grantStatements(
  role: string,
  schema: string,
  partitions: readonly string[],
  granted: readonly RoleRight[] = roleRights,
): readonly string[] {
  const to = `to ${quoted(role)}`;
  const inSchema = (name: string): string => `${quoted(schema)}.${name}`;
  return [
    `grant usage on schema ${quoted(schema)} ${to}`,
    ...granted.map((grant) => {
      const on = 'table' in grant ? inSchema(grant.table) : `function ${inSchema(grant.function)}`;
      return `grant ${grant.rights.join(', ')} on ${on} ${to}`;
    }),
    ...partitions.map((partition) => `grant select on ${inSchema(quoted(partition))} ${to}`),
  ];
}

/** An identifier quoted for SQL, whatever characters it has. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/**
 * What a role lacks, as `delete on consumed`; empty when it can do everything the service does. What does not exist is
 * lacking, too.
 * @param role the role of the connection when absent; one that does not exist rejects with `SqlError`
 * @param granted of the database of the events when absent
 */
export async function missingRights(
  executor: SqlExecutor,
  role?: string,
  granted: readonly RoleRight[] = roleRights,
): Promise<readonly string[]> {
  const rows = await executor.query<{ missing: string }>({
    name: 'rights-missing',
    text: `select wanted.privilege || ' on ' || wanted.name as missing
      from (select coalesce($1::text::name, current_user) as role) as asked, (
          select * from unnest($2::text[], $3::text[], $4::text[]) with ordinality
          union all
          select 'table', inhrelid::regclass::text, 'select', 1000 from pg_inherits
            where inhparent = any(select to_regclass(name)::oid from unnest($3::text[]) as parent (name))
        ) as wanted (kind, name, privilege, place)
      where case wanted.kind
        when 'table' then has_table_privilege(asked.role, to_regclass(wanted.name), wanted.privilege)
        when 'function' then has_function_privilege(asked.role, to_regprocedure(wanted.name), wanted.privilege)
        else has_schema_privilege(asked.role, current_schema(), wanted.privilege) end is not true
      order by wanted.place, wanted.name`,
    values: [role ?? null, ...columnsOf(wantedRights(granted))],
  });
  return rows.map(({ missing }) => missing);
}

/** What the role of the connection may do to rows that are only ever added, as `update on events`. */
export async function rightsOverHistory(executor: SqlExecutor): Promise<readonly string[]> {
  const rows = await executor.query<{ held: string }>({
    name: 'rights-over-history',
    text: `select held.privilege || ' on ' || held.name as held
      from unnest($1::text[], $2::text[]) with ordinality as held (name, privilege, place)
      where has_table_privilege(to_regclass(held.name), held.privilege)
      order by held.place`,
    values: columnsOf(rightsOverAppended).slice(1),
  });
  return rows.map(({ held }) => held);
}

/** Whether the server has a role of this name. */
export async function hasRole(executor: SqlExecutor, role: string): Promise<boolean> {
  const rows = await executor.query({
    name: 'role-exists',
    text: 'select 1 as one from pg_roles where rolname = $1::text',
    values: [role],
  });
  return rows.length > 0;
}

/** The schema that holds the tables, for `grantStatements`. */
export async function schemaOfTables(executor: SqlExecutor): Promise<string> {
  const [row] = await executor.query<{ schema: string }>({
    name: 'schema-of-tables',
    text: `select nspname::text as schema from pg_namespace
      where oid = (select relnamespace from pg_class where oid = to_regclass('schema_migrations'))`,
    values: [],
  });
  return row?.schema ?? 'public';
}

type Wanted = readonly [kind: string, name: string, right: string];

function wantedRights(granted: readonly RoleRight[]): readonly Wanted[] {
  return [
    ['schema', 'the schema', 'usage'],
    ...granted.flatMap((grant) =>
      grant.rights.map((right): Wanted =>
        'table' in grant ? ['table', grant.table, right] : ['function', grant.function, right],
      ),
    ),
  ];
}

const rightsOverAppended: readonly Wanted[] = roleRights
  .flatMap((grant) => ('table' in grant && grant.rights.join() === 'select,insert' ? [grant.table] : []))
  .flatMap((table) => ['update', 'delete', 'truncate'].map((right): Wanted => ['table', table, right]));

function columnsOf(wanted: readonly Wanted[]): string[][] {
  return [0, 1, 2].map((column) => wanted.map((each) => each[column] ?? ''));
}
