import type { Settings } from '@app/config';
import { furtherStoresOf, schemaVersions, type SqlDriver, Stores } from '@app/event-store';
import { storedTenants } from '@app/tenants';
import { CommandFailure } from './failure';
import { allTenants } from './tenant';

/** Opens the stores of the deployment, each once, and closes the further ones after the work. */
export async function withStores<T>(
  driver: SqlDriver,
  settings: Settings,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const { directory } = settings.stores;
  const stores = new Stores(driver, { ...furtherStoresOf({ directory, poolSize: 2 }), prepare: assertMigrated });
  try {
    await stores.start();
    return await work(stores);
  } finally {
    await stores.closeFurther();
  }
}

/** The drivers of all further stores that have tenants. Throws `CommandFailure` when one of them cannot be used. @param what needs them */
export async function everyFurther(
  driver: SqlDriver,
  settings: Settings,
  stores: Stores,
  what: string,
): Promise<readonly SqlDriver[]> {
  const named = (await allTenants(storedTenants(driver, settings))).flatMap(({ store, move }) =>
    [store, move?.from, move?.to].filter((one) => one !== undefined),
  );
  const known = stores.standings();
  const needed = new Set([...named.filter((one) => one !== 'first'), ...known.map(({ name }) => name)]);
  for (const name of needed) {
    const { fault } = known.find((one) => one.name === name) ?? {
      fault: 'no file in SERVICE__STORES__DIRECTORY names it',
    };
    if (fault !== undefined)
      throw new CommandFailure(
        `${what} needs every store, and the store ${name} cannot be used: ${fault} Nothing was changed.`,
      );
  }
  return [...needed].map((name) => stores.at(name));
}

/** The option of commands that work on one store. */
export const storeOption = [
  '--store <name>',
  'a further store, as "stores list" names it; the first one when absent',
] as const;

/** Whether `storeOption` names another store than the first. */
export function isFurther(name: string | undefined): name is string {
  return name !== undefined && name !== 'first';
}

/** Works on the store that `storeOption` names. Throws `CommandFailure` for one that cannot be used. */
export function inStore<T>(
  first: SqlDriver,
  settings: Settings,
  name: string | undefined,
  work: (driver: SqlDriver) => Promise<T>,
): Promise<T> {
  if (!isFurther(name)) return work(first);
  return withStores(first, settings, (stores) => work(openStore(stores, name)));
}

/** Throws `CommandFailure` for one that cannot be used. */
export function openStore(stores: Stores, name: string): SqlDriver {
  const { fault } = stores.standings().find((one) => one.name === name) ?? {
    fault: 'no file in SERVICE__STORES__DIRECTORY names it',
  };
  if (fault !== undefined) throw new CommandFailure(`The store ${name} cannot be used: ${fault}`);
  return stores.at(name);
}

async function assertMigrated(driver: SqlDriver): Promise<void> {
  const { applied, shipped } = await schemaVersions(driver);
  if (applied !== shipped)
    throw new Error(`its tables have version ${applied} and this release needs ${shipped}: run "sealwright migrate".`);
}
