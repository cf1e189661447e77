import type { SqlDriver, SqlExecutor } from './sql-driver';

interface Identity {
  readonly deployment: string;
  readonly name: string;
}

/**
 * Makes a database a further store of the deployment to which the first one belongs, unless it is. Throws, in one sentence, when it is something
 * else.
 */
export async function claimStore(
  first: SqlDriver,
  further: SqlDriver,
  name: string,
  prepare: (driver: SqlDriver) => Promise<void>,
): Promise<void> {
  const { deployment } = await identityOf(first, { name: '' });
  await prepare(further);
  const found = await identityOf(further, { deployment, name });
  if (found.deployment !== deployment) throw new Error('Its database belongs to another deployment.');
  if (found.name === name) return;
  throw new Error(found.name === '' ? 'Its database is the first store.' : `Its database is the store ${found.name}.`);
}

/** What a database is; from now on what is given, when it was nothing yet. @param given `deployment` is made up when absent */
async function identityOf(executor: SqlExecutor, given: Partial<Identity> & Pick<Identity, 'name'>): Promise<Identity> {
  await executor.query({
    name: 'store-identity-note',
    text: `insert into store_identity (deployment, name) select coalesce($1::text::uuid, gen_random_uuid()), $2::text
      where $2::text = '' or not exists (select from events where stream_id > '') on conflict do nothing`,
    values: [given.deployment ?? null, given.name],
  });
  const [found] = await executor.query<Identity>({
    name: 'store-identity',
    text: 'select deployment::text, name from store_identity where singleton',
    values: [],
  });
  if (!found) throw new Error('Its database has events already: give an empty one.');
  return found;
}
