import { Problem } from '@app/primitives/problems';
import type { Credential, CredentialEvent } from './credential';

/** A person has looked at the data of a credential, which can be issued now. Approving again changes nothing. */
export function approveCredential(credential: Credential, now: Date): CredentialEvent[] {
  const { credentialId } = credential;
  const conflict = (what: string): Problem => new Problem('conflict', `The credential ${credentialId} ${what}.`);
  if (credential.status === 'Requested') throw conflict('has no data yet that could be approved');
  if (credential.status === 'Denied') throw conflict('was denied');
  if (credential.approval === undefined) throw conflict('needs no approval');
  return credential.approval === 'given' ? [] : [{ type: 'CredentialApproved', approvedAt: now.toISOString() }];
}
