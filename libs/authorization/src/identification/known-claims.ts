import { isJsonObject, type JsonObject, type JsonValue, unescapePointer } from '@app/json';
import type { ExpectedSubject } from '@app/offers';

/** Who the person is and how that was found out. */
const identifying = ['sub', 'iss', 'acr', 'auth_time'];

/** The claims that the credentials are made of, and who they are about; no others are kept. */
export function keptClaims(claims: JsonObject, needed: Iterable<string>): JsonObject {
  const names = new Set([...identifying, ...needed]);
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.has(name)));
}

/** Whether these are the claims of the person for whom an offer is. */
export function isExpected({ claim, value }: ExpectedSubject, claims: JsonObject): boolean {
  const known = claim.startsWith('/') ? valueAt(claims, claim.slice(1).split('/').map(unescapePointer)) : claims[claim];
  return typeof known === 'string' ? known === value : typeof known === 'number' && String(known) === value;
}

function valueAt(claims: JsonObject, steps: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = claims;
  for (const step of steps) {
    value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
