import { type ErasureCause, erasureEvent } from '../erasure/personal-data-erased';
import type { SqlExecutor } from '../database/sql-driver';

const repeated: ErasureCause = 'replay';

/** What the store calls the database with its erasure keys; `undefined` when it has none. */
export async function notedDatabase(store: SqlExecutor): Promise<string | undefined> {
  const [row] = await store.query<{ id: string }>({
    name: 'erasure-key-database',
    text: 'select id::text as id from erasure_key_database where singleton',
    values: [],
  });
  return row?.id;
}

/** Notes in the store which database has its erasure keys, and then there that it is taken. May be repeated. */
export async function noteDatabase(store: SqlExecutor, keys: SqlExecutor): Promise<void> {
  const { id } = await identityOf(keys);
  await store.query({
    name: 'erasure-key-database-note',
    text: 'insert into erasure_key_database (id) values ($1::uuid) on conflict do nothing',
    values: [id],
  });
  await keys.query({
    name: 'erasure-keys-take',
    text: 'update followed_store set is_taken = true where singleton',
    values: [],
  });
}

/** The store has no erasure keys any more. Its erasures stay known to the database that had them. */
export async function forgetDatabase(store: SqlExecutor): Promise<void> {
  await store.query({
    name: 'erasure-key-database-forget',
    text: 'delete from erasure_key_database where singleton',
    values: [],
  });
}

/** What the database of erasure keys calls itself, and whether it belongs to a store. */
export async function identityOf(keys: SqlExecutor): Promise<{ readonly id: string; readonly isTaken: boolean }> {
  const [row] = await keys.query<{ id: string; isTaken: boolean }>({
    name: 'erasure-keys-identity',
    text: 'select id::text as id, is_taken as "isTaken" from followed_store where singleton',
    values: [],
  });
  if (!row) throw new Error('The database of erasure keys has lost its id: restore it from a backup.');
  return row;
}

/**
 * Whether the store was restored from a backup: erasures that the database of erasure keys knows are not in it, and have not all
 * been repeated since. Repeated ones are dated anew, so of a repetition that was interrupted they say nothing.
 */
export async function isRestored(store: SqlExecutor, keys: SqlExecutor): Promise<boolean> {
  // First what follows the store, then the store.
  const latest = await latestErasure(keys);
  const [row] = await store.query<{ restored: boolean }>({
    name: 'erasures-missing',
    text: `select $1::timestamptz > greatest(
        (select recorded_at from events where type = '${erasureEvent}' and data->>'cause' <> '${repeated}'
          order by recorded_at desc limit 1),
        (select replayed_upto from erasure_key_database where singleton)) as restored`,
    values: [latest],
  });
  return row?.restored ?? false;
}

/** Notes in the store that all erasures are repeated which the database of erasure keys knows. */
export async function noteReplayed(store: SqlExecutor, keys: SqlExecutor): Promise<void> {
  await store.query({
    name: 'erasures-replayed',
    text: 'update erasure_key_database set replayed_upto = $1::timestamptz where singleton',
    values: [await latestErasure(keys)],
  });
}

/** Text that PostgreSQL reads as a timestamptz. */
async function latestErasure(keys: SqlExecutor): Promise<string> {
  const [row] = await keys.query<{ at: string }>({
    name: 'erasures-latest',
    text: 'select erased_at::text as at from erasures order by erased_at desc limit 1',
    values: [],
  });
  return row?.at ?? '-infinity';
}
