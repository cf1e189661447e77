import { counterOf, type EventTable, publicationOf } from '@app/http';
import type { EventCounter } from '@app/observability';
import { credentialFormats } from '@app/openid4vc';
import type { DataFault } from './missed-data';
import { type Credential, credentialAggregate, type CredentialEvent, type CredentialStatus } from './credential';
import { validityAfterEvent, type ValidityEvent } from './validity';

const faultTexts: Readonly<Record<DataFault, string>> = {
  'answer-not-understood': 'the answer is no JSON object with credentialSubject, or refresh in it is not true or false',
  'answer-of-another-authorization': 'the answer is for another authorization',
  'answer-too-large': 'the answer is larger than 1 MiB',
  'answered-with-an-error': 'the status of the answer is none of 200, 202, 403 and 404',
  'answered-with-a-redirect': 'redirects are not followed',
  'claims-invalid': 'claims of the answer cannot be issued by this template',
  'expiry-invalid': 'expiresAt of the answer is no date-time, in the past, or later than the template allows',
  'no-public-address': 'its host is not found, or has no public address',
  'not-configured': 'SERVICE__IDENTIFICATION__DATA_URL is empty',
  'template-unusable': 'the template cannot be used now: it is not published, or its schema is too slow',
  timeout: 'there was no answer within five seconds',
  unreachable: 'the server could not be reached',
};

/** What portals, metrics and others learn of the events of a credential; without claims and keys. */
export const credentialEvents: EventTable<CredentialEvent> = {
  CredentialRequested: {
    step: 'requested',
    detail: 'A wallet asked for it before its data was submitted, and waits.',
    counted: 'requested',
    published: 'credential.requested',
    data: now('Requested'),
  },
  CredentialDenied: {
    step: 'denied',
    detail: 'The wallet gets the reason when it asks the next time.',
    counted: 'denied',
    published: 'credential.denied',
    data: now('Denied'),
  },
  CredentialPrepared: { step: 'prepared', detail: 'Its data was submitted.', counted: 'prepared', published: null },
  CredentialDataMissed: {
    step: 'data missed',
    outcome: 'refused',
    detail: ({ fault, claims }) =>
      `The portal was asked for its data: ${faultTexts[fault]}${claims ? ` (${claims.join(', ')})` : ''}.`,
    counted: 'data-missed',
    published: 'credential.delayed',
    data: ({ fault, claims }) => ({ reason: fault, ...(claims && { claims: [...claims] }) }),
  },
  CredentialApprovalRequested: {
    step: 'approval requested',
    detail: 'It is issued once somebody approves it.',
    counted: 'approval-requested',
    published: 'credential.held',
    data: now('Prepared'),
  },
  CredentialApproved: {
    step: 'approved',
    counted: 'approved',
    published: 'credential.approved',
    data: now('Prepared'),
  },
  CredentialIssued: {
    step: 'issued',
    detail: ({ holderKeys: { length } }) =>
      length === 1 ? 'To one key of a wallet.' : `To ${length} keys of a wallet, one copy each.`,
    counted: 'issued',
    published: 'credential.issued',
    data: ({ holderKeys }) => ({ status: 'Issued', copies: holderKeys.length }),
  },
  CredentialReissued: {
    step: 'issued again',
    detail: ({ holderKeys: { length }, copies }) => {
      const keys = length === 1 ? 'one other key' : `${length} other keys`;
      return `To ${keys} of the wallet, which asked again. There are ${copies} copies now.`;
    },
    counted: 'reissued',
    published: 'credential.issued',
    data: ({ copies }) => ({ status: 'Issued', copies }),
  },
  // Only belongs to the event before it.
  FurtherCopiesChanged: { step: null, counted: 'further-copies-changed', published: null },
  CredentialSignedAgain: {
    step: 'signed again',
    detail: 'The wallet asked again, after the signing key was rotated.',
    counted: 'signed-again',
    published: null,
  },
  CredentialAccepted: {
    step: 'accepted',
    detail: 'The wallet has reported that it stored the credential.',
    counted: 'accepted',
    published: 'credential.accepted',
    data: now('Accepted'),
  },
  CredentialRefused: {
    step: 'refused',
    outcome: 'refused',
    detail: 'The wallet has reported that it could not store the credential.',
    counted: 'refused',
    published: 'credential.refused',
    data: now('Refused'),
  },
  CredentialDeleted: {
    step: 'deleted',
    detail: 'The wallet has reported that the person declined or deleted the credential.',
    counted: 'deleted',
    published: 'credential.deleted',
    data: now('Deleted'),
  },
  CredentialSuspended: { step: 'suspended', counted: 'suspended', published: 'credential.suspended', data: validity },
  CredentialReinstated: {
    step: 'reinstated',
    counted: 'reinstated',
    published: 'credential.reinstated',
    data: validity,
  },
  CredentialRevoked: { step: 'revoked', counted: 'revoked', published: 'credential.revoked', data: validity },
  PersonalDataErased: { step: 'personal data erased', counted: 'erased', published: null },
};

const { category } = credentialAggregate;
const counter = counterOf(credentialEvents, { category, name: 'credentials_total', help: 'Events of credentials' });

export const credentialCounter: EventCounter = {
  ...counter,
  series: credentialFormats.flatMap((format) => counter.series.map((outcome) => ({ format, ...outcome }))),
  seriesOf: (type, state) => {
    const outcome = counter.seriesOf(type, state);
    return outcome && { format: (state as Credential).format, ...outcome };
  },
};

export const credentialPublication = publicationOf(
  credentialEvents,
  { category, resources: 'credentials' },
  ({ id, terms: { configurationId, ...terms } = {} }) => ({
    credentialId: id,
    ...terms,
    credentialConfigurationId: configurationId,
  }),
);

function now(status: CredentialStatus) {
  return () => ({ status });
}

function validity({ copies, statusChange, ...event }: ValidityEvent) {
  return { validity: validityAfterEvent(event), copies: copies ?? statusChange.indices.length };
}
