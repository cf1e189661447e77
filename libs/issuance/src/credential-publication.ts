import type { Publication } from '@app/event-store';
import { credentialAggregate, type CredentialEvent, type CredentialStatus } from './credential';

const statusAfter: Readonly<Record<CredentialEvent['type'], CredentialStatus>> = {
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
  },
  data: ({ id, event, terms: { configurationId, ...terms } = {} }) => ({
    credentialId: id,
    ...terms,
    credentialConfigurationId: configurationId,
    status: statusAfter[event.type],
  }),
};
