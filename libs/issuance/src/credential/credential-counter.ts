import type { EventCounter } from '@app/observability';
import { credentialFormats } from '@app/openid4vc';
import { type Credential, credentialAggregate, type CredentialEvent } from './credential';

const outcomeOf = {
  CredentialRequested: 'requested',
  CredentialDenied: 'denied',
  CredentialPrepared: 'prepared',
  CredentialDataMissed: 'data-missed',
  CredentialApprovalRequested: 'approval-requested',
  CredentialApproved: 'approved',
  CredentialIssued: 'issued',
  CredentialReissued: 'reissued',
  FurtherCopiesChanged: 'further-copies-changed',
  CredentialSignedAgain: 'signed-again',
  CredentialAccepted: 'accepted',
  CredentialRefused: 'refused',
  CredentialDeleted: 'deleted',
  CredentialSuspended: 'suspended',
  CredentialReinstated: 'reinstated',
  CredentialRevoked: 'revoked',
  PersonalDataErased: 'erased',
} as const satisfies Record<CredentialEvent['type'], string>;

export const credentialCounter: EventCounter = {
  category: credentialAggregate.category,
  name: 'credentials_total',
  help: 'Events of credentials',
  series: credentialFormats.flatMap((format) => Object.values(outcomeOf).map((outcome) => ({ format, outcome }))),
  seriesOf: (eventType, state) => ({
    format: (state as Credential).format,
    outcome: outcomeOf[eventType as CredentialEvent['type']],
  }),
};
