import { assertIssuable, ClaimsError, credentialFormat } from '@app/credentials';
import { escapePointer, isJsonObject, type JsonObject, stepsOf, valueAt } from '@app/primitives/json';
import { claimsFrom, type ClaimSourceName, type ClaimSources } from '../data-sources/claim-sources';
import { isBuildable, type IssuableConfiguration } from './credential-configuration';
import { dataOriginOf, type Identification } from '../data-sources/data-origin';
import { violationsOf } from '../schema/json-schema';
import { subjectFaults } from '../schema/open-badge-schema';

/** A person as they were identified. */
export interface IdentifiedPerson {
  readonly source: Identification;
  readonly claims: JsonObject;
}

/** The claims of a credential from what is known of the person. Names of claims are JSON Pointers; values are never named. */
export type MappedClaims =
  | { readonly outcome: 'mapped'; readonly claims: JsonObject }
  /** They come from an offer or from a webhook. */
  | { readonly outcome: 'later' }
  | { readonly outcome: 'refused'; readonly missing: readonly string[]; readonly invalid: readonly string[] };

/** Maps and checks. Throws `claims-not-checked` and `unavailable` as `CheckClaims`. */
export async function mappedClaims(
  configuration: IssuableConfiguration,
  { source, claims: known }: IdentifiedPerson,
  profile: 'development' | 'production',
): Promise<MappedClaims> {
  const origin = dataOriginOf(configuration, profile);
  switch (origin) {
    case 'provided':
    case 'webhook':
      return { outcome: 'later' };
    case 'mapped': {
      const { claimSources = {} } = configuration;
      const name: ClaimSourceName = source === 'presentation' ? 'presentation' : 'login';
      const claims = claimsFrom(claimSources, name, known);
      const absent = Object.keys(claimSources).filter((target) => valueAt(claims, target) === undefined);
      return checked(configuration, claims, absent);
    }
    case 'development': {
      // Nobody else's claims are given away by a configuration that names none.
      if (source !== 'development') return { outcome: 'later' };
      const wanted = sourcesOfDevelopment(configuration);
      const claims = claimsFrom(wanted, 'login', known);
      if (Object.keys(claims).length > 0) return checked(configuration, claims, []);
      return { outcome: 'refused', missing: Object.keys(wanted), invalid: [] };
    }
  }
}

/** @param absent mapped claims that are not known of the person; a schema says which of them are required, else all are */
async function checked(
  configuration: IssuableConfiguration,
  claims: JsonObject,
  absent: readonly string[],
): Promise<MappedClaims> {
  const violations = [
    ...(await violationsOf(configuration, claims, '')),
    ...(await subjectFaults(configuration, claims)),
  ];
  const isEmpty = Object.keys(claims).length === 0;
  if (isEmpty || (!configuration.schema && absent.length > 0))
    return { outcome: 'refused', missing: absent, invalid: [] };
  const places = violations.length > 0 ? violations.map(({ pointer }) => pointer) : unissuable(configuration, claims);
  if (places.length === 0) return { outcome: 'mapped', claims };
  const named = [...new Set(places)].slice(0, 20);
  const missing = named.filter((place) => valueAt(claims, place) === undefined);
  return { outcome: 'refused', missing, invalid: named.filter((place) => !missing.includes(place)) };
}

/** What a credential of the format cannot have, wherever it comes from. */
function unissuable(configuration: IssuableConfiguration, claims: JsonObject): readonly string[] {
  if (!isBuildable(configuration)) return [];
  try {
    assertIssuable({ claims }, configuration);
    return [];
  } catch (error) {
    if (error instanceof ClaimsError) return [error.pointer];
    throw error;
  }
}

/** The claims that wallets may know of: those of the schema, those that can be withheld, or those of any person; by their own names. */
function sourcesOfDevelopment(configuration: IssuableConfiguration): ClaimSources {
  const format = credentialFormat(configuration.format);
  const properties = configuration.schema?.['properties'];
  const withheld = (format.disclosureOf(configuration) ?? []).map((place) => stepsOf(place).slice(0, 1));
  const named = isJsonObject(properties)
    ? pathsIn(configuration.schema, format.stepsToClaim)
    : withheld.length > 0
      ? withheld
      : [['given_name'], ['family_name'], ['birthdate']];
  const pointerOf = (path: readonly string[]) => path.map((step) => `/${escapePointer(step)}`).join('');
  return Object.fromEntries(named.map((path) => [pointerOf(path), `login:${pointerOf(path.slice(-1))}`]));
}

function pathsIn(schema: unknown, steps: number): readonly (readonly string[])[] {
  if (steps === 0) return [[]];
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, inside]) =>
    pathsIn(inside, steps - 1).map((path) => [name, ...path]),
  );
}
