import { Problem } from '@app/primitives/problems';
import type { Credential, CredentialEvent } from './credential';

export interface Denying {
  /** Sealed; absent when the data key of the credential was destroyed. */
  readonly sealedReason: string | undefined;
  /** Whether the credential was denied for this very reason. */
  readonly isRepeated: boolean;
  readonly now: Date;
}

/** The portal will not issue a credential that a wallet waits for. It can be denied until the wallet has fetched it. */
export function denyCredential(credential: Credential, { sealedReason, isRepeated, now }: Denying): CredentialEvent[] {
  const { credentialId, offerId } = credential;
  const instead = offerId === undefined ? '' : `: withdraw its offer ${offerId} instead`;
  const conflict = (what: string): Problem => new Problem('conflict', `The credential ${credentialId} ${what}`);
  switch (credential.status) {
    case 'Denied':
      if (isRepeated) return [];
      throw conflict('was denied for another reason, which stands.');
    case 'Requested':
    case 'Prepared':
      if (!credential.wait) throw conflict(`was not requested by a wallet${instead}.`);
      if (sealedReason === undefined) throw conflict('has no personal data any more: its wallet is denied it already.');
      return [{ type: 'CredentialDenied', deniedAt: now.toISOString(), sealedReason }];
    case 'Issued':
    case 'Accepted':
    case 'Refused':
    case 'Deleted':
      throw conflict('was issued already.');
  }
}
