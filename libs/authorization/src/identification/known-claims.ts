import { type JsonObject, valueAt } from '@app/json';
import type { ExpectedSubject } from '@app/offers';
import type { DcqlQuery } from '@app/openid4vc';

/** Who a person is that has logged in, and how that was found out. */
export const identifyingClaims: readonly string[] = ['sub', 'iss', 'acr', 'auth_time'];

/** The claims that a presentation was asked for. */
export function claimsAsked({ credentials }: DcqlQuery): Set<string> {
  const paths = credentials.flatMap(({ claims = [] }) => claims.map(({ path }) => path));
  return new Set(paths.map(([name]) => String(name)));
}

/** The claims of these names; no others are kept. */
export function keptClaims(claims: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.has(name)));
}

/** Whether these are the claims of the person for whom an offer is. */
export function isExpected({ claim, value }: ExpectedSubject, claims: JsonObject): boolean {
  const known = claim.startsWith('/') ? valueAt(claims, claim) : claims[claim];
  return typeof known === 'string' ? known === value : typeof known === 'number' && String(known) === value;
}
