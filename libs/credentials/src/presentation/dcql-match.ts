import type { JsonObject, JsonValue } from '@app/primitives/json';
import {
  type ClaimsPath,
  type CredentialFormatId,
  type DcqlClaimsQuery,
  type DcqlCredentialQuery,
  type DcqlCredentialSet,
  type DcqlTrustedAuthorities,
  isOfQueriedType,
} from '@app/openid4vc';

/** Of a DCQL query: which credentials together answer it. */
export type DcqlCredentialSets = {
  readonly credentials: readonly { readonly id: string }[];
  readonly credential_sets?: readonly DcqlCredentialSet[];
};

/**
 * For each array from which elements were withheld: how many of them stood before each element that is left. An
 * index into the whole array lies between the index that is left and that plus this number (a decoy looks the same).
 */
export type WithheldElements = ReadonlyMap<readonly JsonValue[], readonly number[]>;

/** What a query is matched against: `claims` are the processed claims of an SD-JWT VC, else the `vc` object. */
export type MatchableCredential = {
  readonly format: CredentialFormatId;
  /** The vct, or the types of `vc`. */
  readonly types: readonly string[];
  readonly claims: JsonObject;
  readonly withheld?: WithheldElements;
};

/** What vouches for the key of an issuer. */
export type Authorities = {
  /** Of the certificates, base64url. */
  readonly authorityKeyIds?: readonly string[];
  readonly anchor?: { readonly list?: string };
};

export type MatchFault = 'format' | 'type' | 'claims';

/**
 * Says what a credential lacks to answer a query, or nothing when it does (OpenID4VP 1.0 §6, §8.6). Wallets need not
 * apply `values`, so they are compared here, with type and value. Every claim is looked up once. Trusted authorities
 * are compared by {@link meetsAuthorities}.
 */
export function matchCredential(query: DcqlCredentialQuery, credential: MatchableCredential): MatchFault | undefined {
  if (query.format !== credential.format) return 'format';
  if (!isOfQueriedType(query, credential.types)) return 'type';
  return matchesClaims(query, credential) ? undefined : 'claims';
}

/**
 * Says whether verified answers to the named credential queries satisfy the whole query: every required set has an
 * option all of which is there; without sets, every credential is (OpenID4VP 1.0 §6.4.2).
 */
export function satisfiesCredentialSets(query: DcqlCredentialSets, verifiedIds: Iterable<string>): boolean {
  const verified = new Set(verifiedIds);
  const sets = query.credential_sets;
  // With sets, only what they name is asked for; an older wallet never hears of anything else.
  const asked = new Set(sets?.flatMap(({ options }) => options.flat()) ?? query.credentials.map(({ id }) => id));
  // An answer that was not asked for makes the response invalid.
  if ([...verified].some((id) => !asked.has(id))) return false;
  const isThere = (id: string): boolean => verified.has(id);
  if (sets === undefined) return [...asked].every(isThere);
  return sets.every(({ options, required }) => required === false || options.some((option) => option.every(isThere)));
}

/** The elements that a path selects; empty when there is none or a type does not fit (OpenID4VP 1.0 §7.1). */
export function selectClaims(path: ClaimsPath, claims: JsonObject, withheld?: WithheldElements): readonly JsonValue[] {
  let selected: readonly JsonValue[] = [claims];
  for (const component of path) {
    const next = step(component, selected, withheld);
    if (next === undefined || next.length === 0) return [];
    selected = next;
  }
  return selected;
}

function step(
  component: string | number | null,
  selected: readonly JsonValue[],
  withheld: WithheldElements | undefined,
): JsonValue[] | undefined {
  const next: JsonValue[] = [];
  for (const value of selected) {
    if (typeof component === 'string') {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
      const member = Object.hasOwn(value, component) ? value[component] : undefined;
      if (member !== undefined) next.push(member);
    } else {
      if (!Array.isArray(value)) return undefined;
      const gaps = withheld?.get(value);
      for (const [index, element] of value.entries()) {
        const isMeant = component === null || (index <= component && component <= index + (gaps?.[index] ?? 0));
        if (isMeant) next.push(element);
      }
    }
  }
  return next;
}

/** OpenID4VP 1.0 §6.1.1: one of the authorities has to vouch for the issuer; a trusted list by the anchor that names it. */
export function meetsAuthorities(
  authorities: readonly DcqlTrustedAuthorities[],
  { authorityKeyIds = [], anchor }: Authorities,
): boolean {
  return authorities.some(({ type, values }) => {
    switch (type) {
      case 'aki':
        return values.some((id) => authorityKeyIds.includes(id));
      case 'etsi_tl':
        return anchor?.list !== undefined && values.includes(anchor.list);
    }
  });
}

function matchesClaims(
  { claims, claim_sets: claimSets }: DcqlCredentialQuery,
  credential: MatchableCredential,
): boolean {
  if (claims === undefined) return true;
  if (claimSets === undefined) return claims.every((claim) => matchesClaim(claim, credential));
  const found = new Set<string>();
  for (const claim of claims) {
    if (claim.id !== undefined && matchesClaim(claim, credential)) found.add(claim.id);
  }
  return claimSets.some((ids) => ids.every((id) => found.has(id)));
}

function matchesClaim({ path, values }: DcqlClaimsQuery, { claims, withheld }: MatchableCredential): boolean {
  const selected = selectClaims(path, claims, withheld);
  if (values === undefined) return selected.length > 0;
  return selected.some((value) => values.some((wanted) => wanted === value));
}
