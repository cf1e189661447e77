import type { Settings } from '@app/config';
import type { SqlDriver } from '@app/event-store';
import { inTenant, type Tenant } from '@app/primitives/context';
import { closestOf } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { type StoredTenants, storedTenants, storeNameOf, type TenantState } from '@app/tenants';
import { Option } from 'commander';
import { CommandFailure } from './failure';

/** Of a command that concerns one issuer. */
export interface OfTenant {
  readonly tenant?: string;
}

export function tenantOption(): Option {
  return new Option('--tenant <id>', 'the tenant that is meant; the issuer of the settings when absent');
}

/** The tenant that the work of a command is done for, with its settings. */
export interface OpenedTenant {
  readonly tenant: Tenant;
  readonly settings: Settings;
  /** Where what is of it is stored; keys and API keys are in the first one. */
  readonly store: string;
}

/** Throws `CommandFailure` for an id that no tenant has. */
export async function openTenant(driver: SqlDriver, settings: Settings, id: string): Promise<OpenedTenant> {
  const stored = storedTenants(driver, settings);
  const state = await findTenant(stored, id);
  const { mark, content } = state;
  return {
    tenant: asTenant({ tenantId: id, mark }),
    settings: stored.registry.settingsOf(id, content),
    store: storeNameOf(state),
  };
}

/** Of work that needs nothing of a tenant but the names of its streams. @param mark empty for the issuer of the settings */
export function tenantOfMark(mark: string): Tenant | undefined {
  return mark === '' ? undefined : asTenant({ tenantId: mark, mark });
}

export function asTenant({ tenantId, mark, store }: Pick<TenantState, 'tenantId' | 'mark' | 'store'>): Tenant {
  return { id: tenantId, mark, ...(store !== undefined && { store }), made: new Map() };
}

/** Does the work for the tenant with this id, or the issuer of the settings. */
export async function forTenant<T>(
  driver: SqlDriver,
  settings: Settings,
  id: string | undefined,
  work: (settings: Settings, store: string | undefined) => Promise<T>,
): Promise<T> {
  if (id === undefined) return work(settings, undefined);
  const opened = await openTenant(driver, settings, id);
  return inTenant(opened.tenant, () => work(opened.settings, opened.store));
}

/** Throws `CommandFailure` for an id that no tenant has, with those that are near. */
export async function findTenant(stored: StoredTenants, id: string): Promise<TenantState> {
  try {
    return (await stored.records.find(id)).tenant;
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'tenant-not-found') throw error;
    throw new CommandFailure(`There is no tenant ${id}${await near(stored, id)}; see "sealwright tenants list".`);
  }
}

/** Every tenant, the oldest first. */
export async function allTenants({ records }: StoredTenants): Promise<TenantState[]> {
  const found: TenantState[] = [];
  let cursor: string | undefined;
  do {
    const page = await records.list({ limit: 100, order: 'oldest', ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.map(({ tenant }) => tenant));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

async function near(stored: StoredTenants, id: string): Promise<string> {
  const ids = (await allTenants(stored)).map(({ tenantId }) => tenantId);
  const closest = closestOf(id, ids);
  const alike = ids.filter((one) => one !== closest && (one.includes(id) || id.includes(one)));
  const named = [...(closest === undefined ? [] : [closest]), ...alike].slice(0, 3);
  return named.length === 0 ? '' : `, but ${named.join(', ')}`;
}
