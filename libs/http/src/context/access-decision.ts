import { SetMetadata } from '@nestjs/common';

/**
 * What a caller of the management API may be allowed, one word for each area and direction. To deliver is to get the
 * links of offers and requests: anyone who has one can use it. To act is to call in the name of a tenant.
 */
export const scopes = [
  'templates:read',
  'templates:write',
  'offers:read',
  'offers:write',
  'offers:deliver',
  'authorizations:read',
  'authorizations:write',
  'credentials:read',
  'credentials:write',
  'approvals:read',
  'approvals:decide',
  'verification:read',
  'verification:write',
  'verification:deliver',
  'webhooks:read',
  'webhooks:write',
  'configuration:read',
  'configuration:write',
  'audit:read',
  'keys:read',
  'keys:write',
  'events:read',
  'tenants:read',
  'tenants:write',
  'tenants:act',
] as const;

export type Scope = (typeof scopes)[number];

/** What a caller of a tenant may be allowed. */
export const scopesOfTenants: readonly Scope[] = scopes.filter((scope) => !scope.startsWith('tenants:'));

/** For whom a route is: it decides the listener, the limits and the headers for browsers. */
export type Audience = 'wallets' | 'people' | 'management' | 'everyone';

/** Who may call a handler: everyone, any known caller, or callers with a scope. */
export type AccessDecision =
  | { readonly kind: 'public'; readonly audience: Audience }
  | { readonly kind: 'caller' }
  | { readonly kind: 'scope'; readonly scope: Scope };

const metadataKey = 'sealwright:access';

/** Only callers with this scope get in. On a method, or on a class for all methods without a decision of their own. */
export function RequiresScope(scope: Scope): ClassDecorator & MethodDecorator {
  return SetMetadata(metadataKey, { kind: 'scope', scope } satisfies AccessDecision);
}

/** Any caller who is known gets in, whatever they may do: for what is about the caller alone. */
export function RequiresCaller(): ClassDecorator & MethodDecorator {
  return SetMetadata(metadataKey, { kind: 'caller' } satisfies AccessDecision);
}

/** Needs no credential: for wallets, browsers that follow a link, probes. Never for a handler of the management API. */
export function PublicEndpoint(audience: Audience): ClassDecorator & MethodDecorator {
  return SetMetadata(metadataKey, { kind: 'public', audience } satisfies AccessDecision);
}

/**
 * The decision that stands on a handler, else on its class.
 * @returns undefined without a decision; such a handler is closed
 */
export function accessDecisionOf(handler: object, controller: object): AccessDecision | undefined {
  const [decision] = [handler, controller].flatMap(
    (target) => (Reflect.getMetadata(metadataKey, target) as AccessDecision | undefined) ?? [],
  );
  return decision;
}
