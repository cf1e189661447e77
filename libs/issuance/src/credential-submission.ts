import { Problem, validationFailed } from '@app/problem-details';
import { type Credential, type CredentialEvent, type CredentialTerms, prepareCredential } from './credential';

export interface Submission {
  /** Of the person that the data is for, when it names one. */
  readonly holderDid: string | undefined;
  /** By which the waiting wallet named its keys; `undefined` for a bare key. */
  readonly dids: readonly (string | undefined)[];
  readonly now: Date;
}

/** Adds the data to a credential that a wallet waits for; once, and while it can still be fetched. */
export function submitCredential(
  credential: Credential,
  terms: CredentialTerms,
  { holderDid, dids, now }: Submission,
): CredentialEvent[] {
  const conflict = (what: string): Problem =>
    new Problem('conflict', `The credential ${credential.credentialId} ${what}; use another offer.`);
  if (credential.status === 'Denied') throw conflict('was denied');
  if (credential.status !== 'Requested') throw conflict('has its data already');
  const { submittableUntil } = credential.wait;
  if (now.getTime() >= Date.parse(submittableUntil)) {
    throw conflict(`cannot be fetched any more: its data could be submitted until ${submittableUntil}`);
  }
  if (holderDid !== undefined && dids.some((did) => did !== undefined && did !== holderDid)) {
    const message = 'must be the DID that the waiting wallet has proved, or be left out';
    throw validationFailed([{ pointer: '/credential/credentialSubject/id', message }], 'invalid-credential-payload');
  }
  // It was created when the wallet asked for it.
  return prepareCredential({ ...terms, createdAt: credential.createdAt });
}
