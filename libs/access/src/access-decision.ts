import { SetMetadata } from '@nestjs/common';

/** What a caller of the management API may be allowed, one word for each area and direction. */
export const scopes = [
  'templates:read',
  'templates:write',
  'offers:read',
  'offers:write',
  'credentials:read',
  'credentials:write',
  'verification:read',
  'verification:write',
  'configuration:read',
] as const;

export type Scope = (typeof scopes)[number];

/** Who may call a handler: everybody, or callers with a scope. */
export type AccessDecision = { readonly kind: 'public' } | { readonly kind: 'scope'; readonly scope: Scope };

const metadataKey = 'sealwright:access';

/** Only callers with this scope get in. On a method, or on a class for all methods without a decision of their own. */
export function RequiresScope(scope: Scope): ClassDecorator & MethodDecorator {
  return SetMetadata(metadataKey, { kind: 'scope', scope } satisfies AccessDecision);
}

/** Strangers may call it: wallets, browsers that follow a link, probes. Never for a handler of the management API. */
export function PublicEndpoint(): ClassDecorator & MethodDecorator {
  return SetMetadata(metadataKey, { kind: 'public' } satisfies AccessDecision);
}

/**
 * The decision that stands on a handler, else on its class.
 * @returns undefined when nobody has decided; such a handler is closed
 */
export function accessDecisionOf(handler: object, controller: object): AccessDecision | undefined {
  const decisions = [handler, controller].map(
    (target) => Reflect.getMetadata(metadataKey, target) as AccessDecision | undefined,
  );
  return decisions.find((decision) => decision !== undefined);
}
