import { type DcqlQuery, namedTypes } from '@app/openid4vc';
import { isJsonObject, isSameJson, type JsonValue } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';

type Step = string | number | null;

export interface RegisteredClaim {
  readonly path: readonly Step[];
  /** The only ones that may be asked for; any when absent. */
  readonly values?: readonly JsonValue[];
}

/** A kind of credential that a registration certificate names, to be asked for or to be issued. */
export interface RegisteredCredential {
  /** In the words of OpenID4VP 1.0. */
  readonly format: string;
  /** Alternatives, each the names of one type; empty = any type of the format. */
  readonly types: readonly (readonly string[])[];
  /** Absent: all claims. */
  readonly claims?: readonly RegisteredClaim[];
}

/** A kind of credential that is issued. */
export interface IssuedType {
  readonly format: string;
  readonly types: readonly string[];
}

type CredentialQuery = DcqlQuery['credentials'][number];

/** @param value an entry of `credentials` or `provides_attestations`; undefined when its format or type cannot be read */
export function readRegistered(value: JsonValue): RegisteredCredential | undefined {
  if (!isJsonObject(value)) return undefined;
  const named = namedTypes(value['format'], value['meta']);
  if (!named) return undefined;
  const { format, alternatives: types } = named;
  // Certificates in use have either name; with both, what only one of them lists is registered, too.
  const lists = [value['claim'], value['claims']].filter((list) => list !== undefined);
  return { format, types, ...(lists.length > 0 && { claims: lists.flatMap(readClaims) }) };
}

function readClaims(list: JsonValue | undefined): readonly RegisteredClaim[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).flatMap(({ path, values }) => {
    if (!Array.isArray(path) || path.length === 0 || !path.every(isStep)) return [];
    return [{ path, ...(Array.isArray(values) && { values }) }];
  });
}

function isStep(step: JsonValue): step is Step {
  return step === null || typeof step === 'string' || typeof step === 'number';
}

/** Whether credentials of this type may be issued. */
export function isIssuable({ format, types }: IssuedType, registered: readonly RegisteredCredential[]): boolean {
  return registered.some((one) => one.format === format && coversType(one, types));
}

/**
 * What a query asks for beyond what is registered, with pointers relative to it. All members of the query count, whatever
 * `credential_sets` and `claim_sets` leave to the wallet.
 */
export function overAsked({ credentials }: DcqlQuery, registered: readonly RegisteredCredential[]): Violation[] {
  return credentials.flatMap((query, index) => {
    const at = `/credentials/${index}`;
    const ofFormat = registered.filter(({ format }) => format === query.format);
    if (ofFormat.length === 0) return [{ pointer: `${at}/format`, message: 'is not registered' }];
    // Wallets answer with any of the types, so each of them has to be registered for all that is asked.
    const asked = namedTypes(query.format, query.meta)?.alternatives ?? [];
    const faults = (asked.length > 0 ? asked : [[]]).map((types) => {
      const ofType = ofFormat.filter((one) => coversType(one, types));
      return ofType.length === 0
        ? [{ pointer: `${at}/meta`, message: 'names a type that is not registered' }]
        : overAskedClaims(query, ofType, at);
    });
    return faults.find(({ length }) => length > 0) ?? [];
  });
}

/** A type has all names of the alternative that it belongs to. */
function coversType({ types }: RegisteredCredential, names: readonly string[]): boolean {
  return types.length === 0 || types.some((all) => all.every((name) => names.includes(name)));
}

function overAskedClaims({ claims }: CredentialQuery, registered: readonly RegisteredCredential[], at: string) {
  if (registered.some((one) => one.claims === undefined)) return [];
  if (!claims) return [{ pointer: at, message: 'asks for all claims, of which only some are registered: name them' }];
  const known = registered.flatMap((one) => one.claims ?? []);
  return claims.flatMap(({ path, values }, index): Violation[] => {
    const above = known.filter((one) => coversPath(one.path, path));
    if (above.length === 0) {
      return [{ pointer: `${at}/claims/${index}/path`, message: 'leads to a claim that is not registered' }];
    }
    const isOpen = above.some((one) => one.values === undefined);
    const allowed = above.flatMap((one) => one.values ?? []);
    if (isOpen || values?.every((value) => allowed.some((one) => isSameJson(one, value)))) return [];
    return [{ pointer: `${at}/claims/${index}/values`, message: 'must be values that are registered' }];
  });
}

/** Whether a path is the registered one or leads below it; null stands for every place of an array. */
function coversPath(registered: readonly Step[], asked: readonly Step[]): boolean {
  return registered.every((step, index) => {
    const one = asked[index];
    return one === step || (step === null && typeof one === 'number');
  });
}
