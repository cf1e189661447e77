import { type ConsoleRole, consoleRoles, type RoleOfGroup } from '@app/config';
import { type Scope, scopes, scopesOfTenants } from '@app/http';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';

/** What each role may do. Nobody but an administrator gets more by another one's role. */
export const scopesOfRoles: Readonly<Record<ConsoleRole, readonly Scope[]>> = {
  clerk: [
    'templates:read',
    'offers:read',
    'offers:write',
    'offers:deliver',
    'authorizations:read',
    'credentials:read',
    'credentials:write',
    'approvals:read',
  ],
  approver: [
    'templates:read',
    'offers:read',
    'authorizations:read',
    'credentials:read',
    'approvals:read',
    'approvals:decide',
  ],
  designer: ['templates:read', 'templates:write', 'approvals:read'],
  operator: [
    'templates:read',
    'webhooks:read',
    'webhooks:write',
    'configuration:read',
    'configuration:write',
    'keys:read',
    'keys:write',
    'events:read',
    'tenants:read',
    'tenants:write',
  ],
  auditor: ['templates:read', 'configuration:read', 'audit:read'],
  desk: ['templates:read', 'verification:read', 'verification:write', 'verification:deliver'],
  administrator: scopes,
};

/** A role as a session keeps it: `clerk`, or `clerk@diploma+transcript` for these templates alone. */
export type HeldRole = string;

/** The roles that the claims of a person give. */
export function rolesIn(claims: JsonObject, claim: string, given: readonly RoleOfGroup[]): readonly HeldRole[] {
  const groups = textsAt(claims, claim);
  const held = given.flatMap(({ role, group, templateIds }) => {
    if (!groups.includes(group)) return [];
    return [templateIds === undefined ? role : `${role}@${[...templateIds].sort().join('+')}`];
  });
  return [...new Set(held)].sort();
}

/** The texts of a claim, one or a list of them. @param path names of members, separated by dots; a member may be named so as well */
export function textsAt(claims: JsonObject, path: string): readonly string[] {
  const found = Object.hasOwn(claims, path) ? claims[path] : valueOf(claims, path.split('.'));
  const values = Array.isArray(found) ? found : [found];
  return values.filter((value) => typeof value === 'string');
}

function valueOf(value: JsonValue | undefined, [name, ...others]: readonly string[]): JsonValue | undefined {
  if (name === undefined || value === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, name) ? valueOf(value[name], others) : undefined;
}

/** What somebody with these roles may do. */
export interface RightsOfRoles {
  readonly scopes: ReadonlySet<Scope>;
  /** Of scopes that are not for all templates, those for which they are. */
  readonly templates: ReadonlyMap<Scope, ReadonlySet<string>>;
}

/** @param isTenant whether it is in the name of a tenant, whose people can do nothing with tenants */
export function rightsOf(held: readonly HeldRole[], isTenant: boolean): RightsOfRoles {
  const limits = new Map<Scope, Set<string> | 'all'>();
  for (const one of held) {
    const [name = '', templates] = one.split('@', 2);
    const role = consoleRoles.find((known) => known === name);
    for (const scope of role ? scopesOfRoles[role] : []) {
      if (isTenant && !scopesOfTenants.includes(scope)) continue;
      const before = limits.get(scope);
      if (templates === undefined || before === 'all') limits.set(scope, 'all');
      else limits.set(scope, new Set([...(before ?? []), ...templates.split('+')]));
    }
  }
  const limited = [...limits].flatMap(([scope, to]) => (to === 'all' ? [] : [[scope, to] as const]));
  return { scopes: new Set(scopes.filter((scope) => limits.has(scope))), templates: new Map(limited) };
}
