import type { JsonValue } from '@app/json';
import { type MatchableCredential, matchCredential, type MatchFault } from './dcql-match';
import { demand, Refusal } from './presentation-check';
import type { ExpectedPresentation } from './formats/credential-format';
import type { IsTrusted, VerifiedCredential } from './verified-credential';

/** Conditions on a presentation that hold for every format; each throws `Refusal`. */

const MATCH_FAULTS: Record<MatchFault, string> = {
  format: 'the credential has another format than the query asks for',
  type: 'the credential is of another type than the query asks for',
  authority: 'the issuer of the credential does not belong to a trusted authority of the query',
  claims: 'the credential lacks a claim or a value that the query asks for',
};

export function checkNonce(nonce: JsonValue | undefined, expected: string): void {
  demand(nonce === expected, 'the nonce is missing or is not the nonce of the request');
}

/** The audience that was expected, for a reason. A client id may hold the link of the request, which no reason may have. */
export function nameOfAudience(audience: string): string {
  return audience.startsWith('origin:') ? audience : 'the client id of the request';
}

export function checkTrust(
  isTrusted: IsTrusted,
  issuer: string,
  types: readonly string[],
): VerifiedCredential['trust'] {
  const trust = isTrusted(issuer, types);
  if (trust === 'untrusted') throw new Refusal('the issuer is not trusted for this type of credential');
  return trust;
}

/** The credential that answers the query: the one at `credentialIndex`, otherwise the first of them. */
export function findMatch<Credential extends MatchableCredential>(
  credentials: readonly Credential[],
  { query, credentialIndex }: ExpectedPresentation,
): Credential {
  const candidates =
    credentialIndex === undefined ? credentials : credentials.slice(credentialIndex, credentialIndex + 1);
  let fault: MatchFault | undefined;
  for (const candidate of candidates) {
    const found = matchCredential(query, candidate);
    if (found === undefined) return candidate;
    fault ??= found;
  }
  throw new Refusal(fault === undefined ? 'the presentation has no credential at that place' : MATCH_FAULTS[fault]);
}

/** OpenID4VP 1.0 §6.1: holder binding is required unless the query says otherwise, whatever the wallet sends. */
export function requiresHolderBinding({ query }: ExpectedPresentation): boolean {
  return query.require_cryptographic_holder_binding !== false;
}
