import { Problem, validationFailed } from '@app/primitives/problems';
import {
  type Credential,
  type CredentialEvent,
  type CredentialTerms,
  prepareCredential,
} from '../credential/credential';
import { isProvedBy, type NamedHolder, type ProvenHolderKey } from '../credential/named-holder';

const mustBeProved =
  'must be the DID that the waiting wallet has proved, or the did:jwk or did:key of its key, or be left out';

export interface Submission {
  /** The person that the data is for, when it names one. */
  readonly named: NamedHolder | undefined;
  /** Of the waiting wallet. */
  readonly keys: readonly ProvenHolderKey[];
  readonly now: Date;
}

/** Adds the data to a credential that a wallet waits for; once, and while it can still be fetched. */
export function submitCredential(
  credential: Credential,
  terms: CredentialTerms,
  { named, keys, now }: Submission,
): CredentialEvent[] {
  const conflict = (what: string): Problem =>
    new Problem('conflict', `The credential ${credential.credentialId} ${what}; use another offer.`);
  if (credential.status === 'Denied') throw conflict('was denied');
  if (credential.status !== 'Requested') throw conflict('has its data already');
  const { submittableUntil } = credential.wait;
  if (now.getTime() >= Date.parse(submittableUntil)) {
    throw conflict(`cannot be fetched any more: its data could be submitted until ${submittableUntil}`);
  }
  if (!isProvedBy(named, keys)) {
    const fault = terms.signature
      ? { pointer: '/credential', message: 'must be bound to the key or DID that the waiting wallet has proved' }
      : { pointer: '/credential/credentialSubject/id', message: mustBeProved };
    throw validationFailed([fault], 'invalid-credential-payload');
  }
  // It was created when the wallet asked for it.
  return prepareCredential({ ...terms, createdAt: credential.createdAt });
}
