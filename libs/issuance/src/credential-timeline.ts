import type { TimelineStep } from '@app/http';
import type { CredentialEvent } from './credential';

/** What can happen to a credential. */
export const credentialSteps = [
  'requested',
  'denied',
  'prepared',
  'issued',
  'signed again',
  'accepted',
  'refused',
  'deleted',
  'suspended',
  'reinstated',
  'revoked',
  'personal data erased',
  'wallet refused',
] as const;

type CredentialStep = TimelineStep & {
  readonly step: (typeof credentialSteps)[number];
  readonly detail: string | null;
};

/** An event of a credential as a portal reads it; without claims and keys. */
export function describeCredentialEvent(event: CredentialEvent): CredentialStep {
  switch (event.type) {
    case 'CredentialRequested':
      return ok('requested', 'A wallet asked for it before its data was submitted, and waits.');
    case 'CredentialDenied':
      return ok('denied', 'The wallet gets the reason when it asks the next time.');
    case 'CredentialPrepared':
      return ok('prepared', 'Its data was submitted.');
    case 'CredentialIssued': {
      const { length } = event.holderKeys;
      return ok('issued', length === 1 ? 'To one key of a wallet.' : `To ${length} keys of a wallet, one copy each.`);
    }
    case 'CredentialSignedAgain':
      return ok('signed again', 'The wallet asked again, after the signing key was rotated.');
    case 'CredentialAccepted':
      return ok('accepted', 'The wallet has reported that it stored the credential.');
    case 'CredentialRefused': {
      const detail = 'The wallet has reported that it could not store the credential.';
      return { step: 'refused', outcome: 'refused', detail };
    }
    case 'CredentialDeleted':
      return ok('deleted', 'The wallet has reported that the person declined or deleted the credential.');
    case 'CredentialSuspended':
      return ok('suspended');
    case 'CredentialReinstated':
      return ok('reinstated');
    case 'CredentialRevoked':
      return ok('revoked');
    case 'PersonalDataErased':
      return ok('personal data erased');
  }
}

function ok(step: CredentialStep['step'], detail: string | null = null): CredentialStep {
  return { step, outcome: 'ok', detail };
}
