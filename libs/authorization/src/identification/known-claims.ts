import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '@app/primitives/json';
import type { ExpectedSubject } from '@app/offers';
import type { ClaimsPath, DcqlQuery } from '@app/openid4vc';
import type { Mismatch } from './identification-failure';

/** Who a person is that has logged in, and how that was found out. */
export const identifyingClaims: readonly string[] = ['sub', 'iss', 'acr', 'auth_time'];

/** Of a presentation what it was asked for: wallets may show more, and have to where a credential can only be shown whole. */
export function claimsAsked({ credentials }: DcqlQuery, claims: JsonObject): JsonObject {
  const part = partOf(
    claims,
    credentials.flatMap((asked) => asked.claims?.map(({ path }) => path) ?? []),
  );
  return isJsonObject(part) ? part : {};
}

/** What the paths lead to. An index counts elements that were withheld, too, so that every element is taken for it. */
function partOf(value: JsonValue, paths: readonly ClaimsPath[]): JsonValue | undefined {
  if (paths.length === 0) return undefined;
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) {
    const inside = paths.filter(([step]) => typeof step !== 'string').map((path) => path.slice(1));
    return value.map((element) => partOf(element, inside)).filter((part) => part !== undefined);
  }
  if (!isJsonObject(value)) return undefined;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const inside = paths.filter(([step]) => step === name).map((path) => path.slice(1));
    const part = partOf(member, inside);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(members);
}

/** Objects within objects, in which what both say is compared; below, one is taken whole. */
const deepest = 16;

/** What either says of a person, also in the same object, such as `address`; of one thing, `first` is believed. */
export function mergedClaims(first: JsonObject, second: JsonObject, depth = 1): JsonObject {
  const both = Object.entries(first).map(([name, value]): [string, JsonValue] => {
    const other = Object.hasOwn(second, name) ? second[name] : undefined;
    const isMerged = depth < deepest && isJsonObject(value) && other !== undefined && isJsonObject(other);
    return [name, isMerged ? mergedClaims(value, other, depth + 1) : value];
  });
  return Object.fromEntries([...Object.entries(second), ...both]);
}

/** The claims of these names; no others are kept. */
export function keptClaims(claims: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.has(name)));
}

/** Whether these are the claims of the person for whom an offer is, of another one, or without the claim that would tell. */
export function matchOf({ claim, value }: ExpectedSubject, claims: JsonObject): 'expected' | Mismatch {
  const known = valueAt(
    claims,
    claim.startsWith('/') ? claim : `/${claim.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  );
  if (known === undefined || known === null) return 'unproven';
  const isSame = typeof known === 'string' ? known === value : typeof known === 'number' && String(known) === value;
  return isSame ? 'expected' : 'unexpected';
}
