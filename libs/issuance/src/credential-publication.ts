import type { PersonalDataErased, Publication } from '@app/event-store';
import type { JsonObject } from '@app/json';
import { credentialAggregate, type CredentialEvent, type CredentialStatus } from './credential';
import { validityAfterEvent, type ValidityEvent } from './validity';

type ChangingEvent = Exclude<
  CredentialEvent,
  PersonalDataErased | ValidityEvent | { type: 'CredentialSignedAgain' } | { type: 'CredentialDataMissed' }
>;

const statusAfter: Readonly<Record<ChangingEvent['type'], CredentialStatus>> = {
  CredentialRequested: 'Requested',
  CredentialDenied: 'Denied',
  CredentialPrepared: 'Prepared',
  CredentialApprovalRequested: 'Prepared',
  CredentialApproved: 'Prepared',
  CredentialIssued: 'Issued',
  CredentialAccepted: 'Accepted',
  CredentialRefused: 'Refused',
  CredentialDeleted: 'Deleted',
};

export const credentialPublication: Publication<CredentialEvent> = {
  category: credentialAggregate.category,
  resources: 'credentials',
  types: {
    CredentialRequested: 'credential.requested',
    CredentialDenied: 'credential.denied',
    CredentialPrepared: null,
    CredentialDataMissed: 'credential.delayed',
    CredentialApprovalRequested: 'credential.held',
    CredentialApproved: 'credential.approved',
    CredentialIssued: 'credential.issued',
    CredentialSignedAgain: null,
    CredentialAccepted: 'credential.accepted',
    CredentialRefused: 'credential.refused',
    CredentialDeleted: 'credential.deleted',
    CredentialSuspended: 'credential.suspended',
    CredentialReinstated: 'credential.reinstated',
    CredentialRevoked: 'credential.revoked',
    PersonalDataErased: null,
  },
  data: ({ id, event, terms: { configurationId, ...terms } = {} }) => ({
    credentialId: id,
    ...terms,
    credentialConfigurationId: configurationId,
    ...changed(event),
  }),
};

function changed(event: CredentialEvent): JsonObject {
  if (event.type === 'PersonalDataErased' || event.type === 'CredentialSignedAgain') return {};
  if (event.type === 'CredentialDataMissed') {
    const { fault, claims } = event;
    return { reason: fault, ...(claims && { claims: [...claims] }) };
  }
  return 'statusChange' in event ? { validity: validityAfterEvent(event) } : { status: statusAfter[event.type] };
}
