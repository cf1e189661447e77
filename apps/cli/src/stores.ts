import type { Settings } from '@app/config';
import { furtherStoresOf, schemaVersions, type SqlDriver, Stores } from '@app/event-store';
import { storedTenants, storeNameOf } from '@app/tenants';
import type { Command } from 'commander';
import { withTables } from './database';
import { CommandFailure } from './failure';
import { table } from './table';
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

/** Throws `CommandFailure` for one that cannot be used. */
export function openStore(stores: Stores, name: string): SqlDriver {
  const { fault } = stores.standings().find((one) => one.name === name) ?? {
    fault: 'no file in SERVICE__STORES__DIRECTORY names it',
  };
  if (fault !== undefined) throw new CommandFailure(`The store ${name} cannot be used: ${fault}`);
  return stores.at(name);
}

export function addStoresCommand(program: Command): void {
  program
    .command('stores')
    .description('The databases in which tenants live.')
    .helpCommand(false)
    .command('list')
    .description('Lists the stores, with their tenants and whether they can be used.')
    .addHelpText('after', '\nExample:\n  sealwright stores list')
    .action(list);
}

function list(): Promise<void> {
  return withTables((driver, settings) =>
    withStores(driver, settings, async (stores) => {
      const counts = new Map<string, number>();
      for (const tenant of await allTenants(storedTenants(driver, settings))) {
        const name = storeNameOf(tenant);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      const known = [
        { name: 'first', fault: undefined },
        ...stores.standings().map(({ name, fault }) => ({ name, fault })),
      ];
      const unknown = [...counts.keys()].filter((name) => known.every((one) => one.name !== name));
      const rows = [
        ...known.map(({ name, fault }) => [name, String(counts.get(name) ?? 0), fault ?? 'ready']),
        ...unknown.map((name) => [
          name,
          String(counts.get(name) ?? 0),
          'no file in SERVICE__STORES__DIRECTORY names it',
        ]),
      ];
      process.stdout.write(table(['STORE', 'TENANTS', 'STATE'], rows));
    }),
  );
}

async function assertMigrated(driver: SqlDriver): Promise<void> {
  const { applied, shipped } = await schemaVersions(driver);
  if (applied !== shipped)
    throw new Error(`its tables have version ${applied} and this release needs ${shipped}: run "sealwright migrate".`);
}
