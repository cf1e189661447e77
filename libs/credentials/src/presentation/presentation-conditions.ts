import type { JsonObject, JsonValue } from '@app/primitives/json';
import {
  type Authorities,
  type MatchableCredential,
  matchCredential,
  type MatchFault,
  meetsAuthorities,
} from './dcql-match';
import type { IssuerKey } from '../issuers/issuer-keys';
import { type CheckName, demand, Refusal, type RunCheck } from '../presentation-check';
import type { ExpectedPresentation } from './expected-presentation';
import type { PresentationPolicy, Trust, VerifiedCredential } from './verified-credential';

/** Conditions on a presentation that hold for every format; each throws `Refusal`. */

export const otherType = 'the credential is of another type than the query asks for';
const MATCH_FAULTS: Record<MatchFault, string> = {
  format: 'the credential has another format than the query asks for',
  type: otherType,
  claims: 'the credential lacks a claim or a value that the query asks for',
};

export function checkNonce(nonce: JsonValue | undefined, expected: string): void {
  demand(nonce === expected, 'the nonce is missing or is not the nonce of the request');
}

/** The audience that was expected, for a reason. A client id may hold the link of the request, which no reason may have. */
export function nameOfAudience(audience: string): string {
  return audience.startsWith('origin:') ? audience : 'the client id of the request';
}

/** The issuer of a credential as it names itself. */
export type NamedIssuer = {
  readonly issuer: string;
  /** Alternatives: it has to be trusted for all types of one of these lists. */
  readonly types: readonly (readonly string[])[];
  /** Of the JWS. */
  readonly header: JsonObject;
};

/** Refuses an issuer that is neither trusted by name nor brings a certificate chain, which the search for its key checks. */
export function checkTrust({ isTrusted, issuerKeys }: PresentationPolicy, named: NamedIssuer): Trust {
  const { issuer, types, header } = named;
  const judged = types.map((all) => isTrusted(issuer, all));
  const byName = judged.find((one) => one === 'trusted') ?? judged.find((one) => one !== 'untrusted') ?? 'untrusted';
  const isCertified = issuerKeys.isCertified(header, { signs: 'credential', types, isTrustedByName: false });
  demand(byName !== 'untrusted' || isCertified, 'the issuer is not trusted for this type of credential');
  return byName;
}

/** The key of an issuer, and why it is trusted: by its name, or by an anchor. Throws `Refusal` or `DidError`. */
export async function findTrustedKey(
  { issuerKeys }: PresentationPolicy,
  { issuer, types, header }: NamedIssuer,
  byName: Trust,
  now: Date,
): Promise<IssuerKey & { readonly trust: VerifiedCredential['trust'] }> {
  const use = { signs: 'credential', types, isTrustedByName: byName === 'trusted' } as const;
  const key = await issuerKeys.find(header, issuer, now, use);
  if (key.anchor !== undefined) return { ...key, trust: 'trusted' };
  // Anchors may be withdrawn at any moment.
  if (byName === 'untrusted') throw new Refusal('the certificate chain leads to no trust anchor');
  return { ...key, trust: byName };
}

export function anchorOf({ anchor }: Pick<IssuerKey, 'anchor'>): Pick<VerifiedCredential, 'trustAnchor'> {
  if (anchor === undefined) return {};
  const { name, subject, fingerprint } = anchor;
  return { trustAnchor: { name, subject, fingerprint } };
}

export const queryChecks: readonly CheckName[] = ['query', 'trusted-authorities'];

/** Does `queryChecks`. @returns the credential that answers the query: at `credentialIndex`, otherwise the first of them */
export async function checkQuery<Credential extends MatchableCredential & Authorities>(
  run: RunCheck,
  credentials: readonly Credential[],
  expected: ExpectedPresentation,
): Promise<Credential> {
  const { trusted_authorities: authorities } = expected.query;
  const [first, ...others] = await run('query', () => findMatches(credentials, expected));
  if (authorities === undefined) return first;
  return run('trusted-authorities', () => {
    const match = [first, ...others].find((candidate) => meetsAuthorities(authorities, candidate));
    if (match !== undefined) return match;
    throw new Refusal('no certificate of the issuer belongs to a trusted authority that the query names');
  });
}

/** All but the trusted authorities of the query. */
function findMatches<Credential extends MatchableCredential>(
  credentials: readonly Credential[],
  { query, credentialIndex }: ExpectedPresentation,
): [Credential, ...Credential[]] {
  const candidates =
    credentialIndex === undefined ? credentials : credentials.slice(credentialIndex, credentialIndex + 1);
  const faults = candidates.map((candidate) => matchCredential(query, candidate));
  const [first, ...others] = candidates.filter((_, index) => faults[index] === undefined);
  if (first !== undefined) return [first, ...others];
  const [fault] = faults;
  throw new Refusal(fault === undefined ? 'the presentation has no credential at that place' : MATCH_FAULTS[fault]);
}

/** OpenID4VP 1.0 §6.1: holder binding is required unless the query says otherwise, whatever the wallet sends. */
export function requiresHolderBinding({ query }: ExpectedPresentation): boolean {
  return query.require_cryptographic_holder_binding !== false;
}
