import type { SqlExecutor } from './sql-driver';

/** SQL of the condition that a row of `streams` is of no tenant that has moved to another store: its history alone is left here. */
export const isHere = `(category not like '%~%'
    or not exists (select from moving_tenants where tenant = split_part(category, '~', 2)))`;

/** The marks of the tenants that have moved to another store, or are about to. */
export async function movedTenants(executor: SqlExecutor): Promise<ReadonlySet<string>> {
  const rows = await executor.query<{ tenant: string }>({
    name: 'moved-tenants',
    text: 'select tenant from moving_tenants',
    values: [],
  });
  return new Set(rows.map(({ tenant }) => tenant));
}

/** The transaction that brought the history of a tenant into this store: its events are older than those before them. */
export interface TenantArrival {
  readonly tx: string;
  /** The mark. */
  readonly tenant: string;
}

/** In their order. */
export async function tenantArrivals(executor: SqlExecutor, since: Date): Promise<readonly TenantArrival[]> {
  return executor.query<TenantArrival & Record<string, string>>({
    name: 'tenant-arrivals',
    text: `select tx::text, tenant from tenant_arrivals where arrived_at >= $1::text::timestamptz
      order by tenant_arrivals.arrived_at`,
    values: [since.toISOString()],
  });
}
