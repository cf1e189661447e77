import { currentTenant, type Tenant } from '@app/primitives/context';
import { SetMetadata } from '@nestjs/common';

/** `issuing`: what makes new offers, credentials and requests. `all`: everything but what others need of what was issued. */
export type Suspension = 'issuing' | 'all';

/** What a tenant may do at most. */
export interface TenantLimits {
  readonly offersPerMinute?: number;
  readonly credentialsPerDay?: number;
  readonly requestsPerMinute?: number;
}

/** What limits count. */
export type CountedByTenant = 'offers' | 'credentials' | 'requests';

/** What is refused in the name of a tenant. */
export interface TenantStanding {
  readonly suspended?: Suspension;
  /** Whether it is closed for good. */
  readonly isClosed?: boolean;
  /** Whether it is on its way to another store: seconds in which it is served nowhere. */
  readonly isMoving?: boolean;
  /** Whether its status lists say of every credential that it is revoked. */
  readonly isRevoked?: boolean;
  readonly limits?: TenantLimits;
  /** Whether it has a host of its own: wallets and people find it there alone. */
  readonly hasOwnUrl?: boolean;
}

const standings = new WeakMap<Tenant, TenantStanding>();

/** Says what is refused, before work is done in its name. */
export function giveStanding(tenant: Tenant, standing: TenantStanding): void {
  standings.set(tenant, standing);
}

/** `undefined` for the issuer of the settings, of which nothing is refused. */
export function standingOfTenant(tenant: Tenant | undefined): TenantStanding | undefined {
  return tenant && standings.get(tenant);
}

export function currentStanding(): TenantStanding | undefined {
  return standingOfTenant(currentTenant());
}

const stopsKey = 'sealwright:stops-with';

/**
 * On a handler, or its class: refuses while the tenant is suspended in this scope, or a wider one. Without it operations of the
 * management API are refused with `all`, and what is public is not refused.
 */
export function StopsWith(suspension: Suspension): ClassDecorator & MethodDecorator {
  return SetMetadata(stopsKey, suspension);
}

export function stopsWith(handler: object, controller: object): Suspension | undefined {
  const [found] = [handler, controller].flatMap(
    (target) => (Reflect.getMetadata(stopsKey, target) as Suspension | undefined) ?? [],
  );
  return found;
}

const countsKey = 'sealwright:counts-as';

/** On a handler, or its class: each request is counted by this limit of the tenant. */
export function CountsAs(counted: CountedByTenant): ClassDecorator & MethodDecorator {
  return SetMetadata(countsKey, counted);
}

export function countsAs(handler: object, controller: object): CountedByTenant | undefined {
  const [found] = [handler, controller].flatMap(
    (target) => (Reflect.getMetadata(countsKey, target) as CountedByTenant | undefined) ?? [],
  );
  return found;
}
