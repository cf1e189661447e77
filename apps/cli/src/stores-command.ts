import { storedTenants, storeNameOf } from '@app/tenants';
import type { Command } from 'commander';
import { withTables } from './database';
import { withStores } from './stores';
import { table } from './table';
import { allTenants } from './tenant';

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
