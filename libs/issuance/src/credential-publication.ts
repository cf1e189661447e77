import type { PersonalDataErased, Publication } from '@app/event-store';
import { credentialAggregate, type CredentialEvent, type CredentialStatus } from './credential';

type ChangingEvent = Exclude<CredentialEvent, PersonalDataErased>;

const statusAfter: Readonly<Record<ChangingEvent['type'], CredentialStatus>> = {
  CredentialPrepared: 'Prepared',
  CredentialIssued: 'Issued',
  CredentialAccepted: 'Accepted',
  CredentialRefused: 'Refused',
  CredentialDeleted: 'Deleted',
};

export const credentialPublication: Publication<CredentialEvent> = {
  category: credentialAggregate.category,
  resources: 'credentials',
  types: {
    CredentialPrepared: null,
    CredentialIssued: 'credential.issued',
    CredentialAccepted: 'credential.accepted',
    CredentialRefused: 'credential.refused',
    CredentialDeleted: 'credential.deleted',
    PersonalDataErased: null,
  },
  data: ({ id, event, terms: { configurationId, ...terms } = {} }) => ({
    credentialId: id,
    ...terms,
    credentialConfigurationId: configurationId,
    ...(event.type !== 'PersonalDataErased' && { status: statusAfter[event.type] }),
  }),
};
