import type { Settings } from '@app/config';
import { connectionRemedy, namedStores, schemaVersions, type SqlDriver, storeIdentity } from '@app/event-store';
import { storedTenants } from '@app/tenants';
import { withOpened } from '../database';
import { sentenceOf } from '../failure';
import { allTenants } from '../tenant';
import { checkRights } from './database-checks';
import { attempt, fail, type Finding, ok, warn } from './finding';

const setting = 'SERVICE__STORES__DIRECTORY';

/** The stores in which tenants live beside the first one, each by itself; nothing when there are none. */
export async function checkFurtherStores(settings: Settings, first: SqlDriver): Promise<readonly Finding[]> {
  const { directory } = settings.stores;
  let named: Awaited<ReturnType<typeof namedStores>> = [];
  try {
    if (directory !== '') named = await namedStores(directory);
  } catch {
    return [fail('stores', `${directory} cannot be read`, `Correct ${setting}, or let this user read it.`)];
  }
  const found = await Promise.all(
    named.map(({ name, connectionString }) =>
      attempt(checkOf(name), 'Read the log of its database server.', () =>
        checkStore(settings, first, name, connectionString),
      ),
    ),
  );
  return [...found, ...(await nameless(settings, first, new Set(named.map(({ name }) => name))))];
}

/** Tenants live in them, and nothing says where they are. */
async function nameless(settings: Settings, first: SqlDriver, known: ReadonlySet<string>): Promise<Finding[]> {
  const tenants = await allTenants(storedTenants(first, settings));
  const used = tenants.flatMap(({ store, move }) => [store, move?.from, move?.to]);
  const unknown = new Set(used.filter((name) => name !== undefined && name !== 'first' && !known.has(name)));
  return [...unknown].map((name) =>
    fail(
      checkOf(String(name)),
      'tenants live in it, and no file names it',
      `Put the file ${String(name)} with its connection string into the directory of ${setting}, and restart the service.`,
    ),
  );
}

async function checkStore(
  settings: Settings,
  first: SqlDriver,
  name: string,
  connectionString: string,
): Promise<Finding> {
  const check = checkOf(name);
  const file = `the file ${name} of ${setting}`;
  if (connectionString === '')
    return fail(check, 'its file is empty or cannot be read', `Write its connection string into ${file}.`);
  try {
    return await withOpened({ eventStore: { type: 'postgres', connectionString } }, (driver) =>
      examine(settings, first, driver, name),
    );
  } catch (error) {
    const remedy = connectionRemedy(error) ?? 'Read the log of its database server.';
    return fail(check, sentenceOf(error), remedy.replaceAll('SERVICE__EVENT_STORE__CONNECTION_STRING', file));
  }
}

async function examine(settings: Settings, first: SqlDriver, driver: SqlDriver, name: string): Promise<Finding> {
  const check = checkOf(name);
  const { applied, shipped } = await schemaVersions(driver);
  if (applied !== shipped) {
    const remedy =
      applied > shipped ? 'Run the release that fits it.' : 'Run "sealwright migrate" with its owner in the file.';
    return fail(check, `tables of version ${applied}; this release requires ${shipped}`, remedy);
  }
  const rights = await checkRights(driver, settings.profile);
  if (rights.outcome === 'fail') {
    const remedy = `${String(rights.remedy)}, with the connection string of its owner as SERVICE__EVENT_STORE__CONNECTION_STRING.`;
    return fail(check, rights.found, remedy);
  }
  const [own, its] = [await storeIdentity(first), await storeIdentity(driver)];
  if (its === undefined) {
    const remedy = 'A running service does so within seconds if it has no events; otherwise name an empty database.';
    return warn(check, 'its database is not claimed for this deployment yet', remedy);
  }
  const other = 'Correct its connection string, or name an empty database; then restart the service.';
  if (its.deployment !== own?.deployment) return fail(check, 'its database belongs to another deployment', other);
  if (its.name !== name)
    return fail(check, `its database is the ${its.name === '' ? 'first store' : `store ${its.name}`}`, other);
  if (rights.outcome === 'warn') return { ...rights, check };
  return ok(check, `version ${applied}, of this deployment; ${rights.found}`);
}

function checkOf(name: string): string {
  return `store ${name}`;
}
