import {
  escapePointer,
  isInnerPointer,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stepsOf,
  valueAt,
} from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';

/** What is known of a person: from a login, or from a credential that the person has presented. */
export const claimSourceNames = ['login', 'presentation'] as const;
export type ClaimSourceName = (typeof claimSourceNames)[number];

/** By the place of a claim (RFC 6901) where its value comes from: `{ "/given_name": "login:/given_name" }`. */
export type ClaimSources = Readonly<Record<string, string>>;

export const mostClaims = 100;
const source = /^(login|presentation):((?:\/(?:[^~/]|~[01])*)+)$/u;
const unsafe = new Set(['__proto__', '_sd', '_sd_alg', '...']);
/** A JSON Pointer with a step that no claim can be called. */
export const reservedNames = '/(__proto__|_sd|_sd_alg|\\.\\.\\.)(/|$)';

/** What is wrong with the member `claims` of a template, by itself. */
export function faultsOfSources(claims: unknown): Violation[] {
  const about = (message: string, name?: string): Violation => ({
    pointer: name === undefined ? '/claims' : `/claims/${escapePointer(name)}`,
    message,
  });
  if (!isJsonObject(claims)) return [about('must be a JSON object such as { "/given_name": "login:/given_name" }')];
  const names = Object.keys(claims);
  if (names.length === 0 || names.length > mostClaims) return [about(`must name 1 to ${mostClaims} claims`)];
  const faults = names.flatMap((name) => {
    if (!isInnerPointer(name)) return [about('must be named by a JSON Pointer such as /given_name', name)];
    const reserved = stepsOf(name).find((step) => unsafe.has(step));
    if (reserved !== undefined) return [about(`must not use ${reserved}, which no claim can be called`, name)];
    const within = names.find((other) => name !== other && name.startsWith(`${other}/`));
    if (within !== undefined) return [about(`lies within ${within}, which has a source of its own`, name)];
    const given = claims[name];
    return typeof given === 'string' && source.test(given)
      ? []
      : [about('must be login: or presentation: and a JSON Pointer, such as login:/given_name', name)];
  });
  if (faults.length > 0 || sourcesIn(claims as ClaimSources).size < 2) return faults;
  return [about('must all come from the login, or all from the presentation: a person is identified in one way')];
}

/** Which sources a mapping needs. Of a mapping without faults. */
export function sourcesIn(claims: ClaimSources): ReadonlySet<ClaimSourceName> {
  return new Set(Object.values(claims).map((text) => (text.startsWith('login:') ? 'login' : 'presentation')));
}

/** The members of what is known of a person that a mapping reads. */
export function membersNeeded(sources: ClaimSources, name: ClaimSourceName): ReadonlySet<string> {
  const places = Object.values(sources).filter((text) => text.startsWith(`${name}:`));
  return new Set(places.map((text) => stepsOf(text.slice(name.length + 1))[0] ?? ''));
}

/**
 * The claims of a credential from what is known of its person. What is not known is left out, so that the schema decides
 * whether it is missing.
 */
export function claimsFrom(sources: ClaimSources, name: ClaimSourceName, known: JsonObject): JsonObject {
  const claims: JsonObject = {};
  for (const [target, text] of Object.entries(sources)) {
    const [, from, place = ''] = source.exec(text) ?? [];
    const value = from === name ? valueAt(known, place) : undefined;
    if (value !== undefined) put(claims, stepsOf(target), value);
  }
  return claims;
}

function put(claims: JsonObject, [step = '', ...inside]: readonly string[], value: JsonValue): void {
  if (inside.length === 0) {
    claims[step] = value;
    return;
  }
  const present = Object.hasOwn(claims, step) ? claims[step] : undefined;
  const member: JsonObject = isJsonObject(present) ? present : {};
  claims[step] = member;
  put(member, inside, value);
}
