import type { Credential } from './credential';

/** Milliseconds from the issue for which a wallet that lost a deferred credential can ask for it again. */
const repeatableFor = 24 * 60 * 60 * 1000;

/** The wallet has said what became of the credential, or has had the time to take it. */
export function hasServed(credential: Credential, now: Date): boolean {
  if (!('issuedAt' in credential)) return false;
  return credential.status !== 'Issued' || now.getTime() >= Date.parse(credential.issuedAt) + repeatableFor;
}
