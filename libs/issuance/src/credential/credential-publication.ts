import type { PersonalDataErased, Publication } from '@app/event-store';
import type { JsonObject } from '@app/primitives/json';
import { credentialAggregate, type CredentialEvent, type CredentialStatus } from './credential';
import { validityAfterEvent, type ValidityEvent } from './validity';

type ChangingEvent = Exclude<
  CredentialEvent,
  PersonalDataErased | ValidityEvent | { type: SilentType } | { type: 'CredentialDataMissed' }
>;

type SilentType = 'CredentialSignedAgain' | 'FurtherCopiesChanged';

const statusAfter: Readonly<Record<ChangingEvent['type'], CredentialStatus>> = {
  CredentialRequested: 'Requested',
  CredentialDenied: 'Denied',
  CredentialPrepared: 'Prepared',
  CredentialApprovalRequested: 'Prepared',
  CredentialApproved: 'Prepared',
  CredentialIssued: 'Issued',
  CredentialReissued: 'Issued',
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
    CredentialReissued: 'credential.issued',
    FurtherCopiesChanged: null,
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
  if (event.type === 'FurtherCopiesChanged') return {};
  if (event.type === 'CredentialDataMissed') {
    const { fault, claims } = event;
    return { reason: fault, ...(claims && { claims: [...claims] }) };
  }
  if ('statusChange' in event) {
    return { validity: validityAfterEvent(event), copies: event.copies ?? event.statusChange.indices.length };
  }
  const status = statusAfter[event.type];
  if (event.type === 'CredentialIssued') return { status, copies: event.holderKeys.length };
  return event.type === 'CredentialReissued' ? { status, copies: event.copies } : { status };
}
