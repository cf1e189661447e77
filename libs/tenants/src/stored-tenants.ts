import type { Settings } from '@app/config';
import { EventStore, type Provers, type SqlDriver, Stores } from '@app/event-store';
import { Tenants } from '@app/primitives/context';
import { tenantAggregate } from './tenant';
import { TenantHosts } from './tenant-hosts';
import { TenantRecords } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { TenantUsages } from './tenant-usage';

/** Tenants of a store that is opened without the service. */
export interface StoredTenants {
  readonly records: TenantRecords;
  readonly registry: TenantRegistry;
}

/** @param provers absent where nothing is written */
export function storedTenants(
  driver: SqlDriver,
  settings: Settings,
  provers?: Provers,
  stores = new Stores(driver),
): StoredTenants {
  const store = new EventStore(driver, undefined, provers);
  const tenants = store.repository(tenantAggregate);
  const all = new Tenants();
  const registry = new TenantRegistry(tenants, settings, all, new TenantHosts(driver), driver);
  return { records: new TenantRecords(tenants, registry, all, new TenantUsages(stores.driver), stores), registry };
}
