import type { Aggregate } from '@app/event-store';
import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';

/** What may be changed of a tenant. */
export interface TenantContent {
  /** What people and wallets call the issuer, unless the settings name it in another way. */
  readonly displayName: string;
  /** As `settingsOfTenant` takes them. */
  readonly settings: JsonObject;
}

export type TenantEvent =
  | {
      readonly type: 'TenantCreated';
      readonly tenantId: string;
      readonly mark: string;
      readonly content: TenantContent;
      readonly createdAt: string;
    }
  | { readonly type: 'TenantChanged'; readonly content: TenantContent };

export interface TenantState {
  readonly tenantId: string;
  /** See `Tenant` of @app/primitives/context. */
  readonly mark: string;
  readonly content: TenantContent;
  readonly createdAt: string;
}

/** Throws `conflict` when the id was ever taken: its addresses are in credentials, which outlive it. */
export function createTenant(
  present: TenantState | undefined,
  tenantId: string,
  made: Omit<TenantState, 'tenantId'>,
): TenantEvent[] {
  if (present) throw new Problem('conflict', `There is, or was, a tenant with the id ${tenantId}; choose another.`);
  return [{ type: 'TenantCreated', tenantId, ...made }];
}

export function changeTenant(tenant: TenantState, content: TenantContent): TenantEvent[] {
  return JSON.stringify(content) === JSON.stringify(tenant.content) ? [] : [{ type: 'TenantChanged', content }];
}

export function evolveTenant(tenant: TenantState | undefined, event: TenantEvent): TenantState {
  if (event.type === 'TenantCreated') {
    const { tenantId, mark, content, createdAt } = event;
    return { tenantId, mark, content, createdAt };
  }
  if (!tenant) throw new Error(`a tenant that is not there: ${event.type}`);
  return { ...tenant, content: event.content };
}

/** Its streams are those of the service itself: no tenant has tenants. */
export const tenantAggregate: Aggregate<TenantState, TenantEvent> = { category: 'tenant', evolve: evolveTenant };

/** Injection token of the repository of tenants. */
export const TENANTS = Symbol('TENANTS');
