import { component, dateTime, closed, type Schema, text, texts } from '@app/http';
import { type PublicEvent, publicEventTypes } from './public-event';

/** What a member of `data` is; a name with a question mark at its end is that of an optional one. */
type Members = Readonly<Record<string, Schema>>;

const ofState = (idName: string, member: string, value: string): Members => ({
  [idName]: text,
  [member]: { const: value },
});
const ofOffer = (state: string): Members => ({ ...ofState('offerId', 'state', state), 'claimOf?': text });
const ofRequest = (status: string): Members => ofState('state', 'status', status);
const credential: Members = {
  credentialId: text,
  'offerId?': text,
  'authorizationId?': { ...text, description: 'In place of `offerId`: a wallet asked for the credential by itself.' },
  'templateId?': { ...text, description: 'Absent for provisioned configurations.' },
  'credentialConfigurationId?': text,
};
const ofCredential = (status: string): Members => ({ ...credential, status: { const: status } });
const ofValidity = (validity: string): Members => ({ ...credential, validity: { const: validity } });
const authorization: Members = { authorizationId: text };

const ofApproval = (state: string): Members => ({
  approvalId: text,
  action: text,
  templateId: text,
  'credentialId?': text,
  'importId?': text,
  state: { const: state },
});

/** `data` by the type of the event. */
const members: Readonly<Record<string, Members>> = {
  'approval.approved': ofApproval('approved'),
  'approval.expired': ofApproval('expired'),
  'approval.rejected': ofApproval('rejected'),
  'approval.requested': ofApproval('open'),
  'approval.unneeded': ofApproval('unneeded'),
  'authorization.consented': authorization,
  'authorization.identified': { ...authorization, source: text },
  'authorization.redeemed': authorization,
  'authorization.refused': { ...authorization, 'reason?': text, 'claims?': texts },
  'authorization.revoked': { ...authorization, cause: { enum: ['code-reused', 'wallet', 'portal'] } },
  'credential.accepted': ofCredential('Accepted'),
  'credential.approved': ofCredential('Prepared'),
  'credential.delayed': { ...credential, reason: text, 'claims?': texts },
  'credential.deleted': ofCredential('Deleted'),
  'credential.denied': ofCredential('Denied'),
  'credential.held': ofCredential('Prepared'),
  'credential.issued': ofCredential('Issued'),
  'credential.refused': ofCredential('Refused'),
  'credential.reinstated': ofValidity('Valid'),
  'credential.requested': ofCredential('Requested'),
  'credential.revoked': ofValidity('Revoked'),
  'credential.suspended': ofValidity('Suspended'),
  'offer.expired': ofOffer('Expired'),
  'offer.fetched': { offerId: text, 'claimOf?': text },
  'offer.locked': ofOffer('Locked'),
  'offer.redeemed': { ...ofOffer('Redeemed'), credentialConfigurationIds: texts },
  'presentation.expired': ofRequest('expired'),
  'presentation.rejected': { ...ofRequest('rejected'), check: text },
  'presentation.released': ofRequest('verified'),
  'presentation.verified': { ...ofRequest('verified'), 'withheld?': { const: true } },
  'template.archived': ofState('templateId', 'status', 'Archived'),
  'template.published': ofState('templateId', 'status', 'Published'),
};

/** Receivers ignore members that they do not know: there may be more of them at any time. */
function open(all: Members): Schema {
  return { ...closed(all), additionalProperties: true };
}

/** A CloudEvent of one type. @param data its members */
export function eventSchema(type: string, data: Members): Schema {
  const shape: Record<Exclude<keyof PublicEvent, 'dataschema'>, Schema> = {
    specversion: { const: '1.0' },
    id: text,
    source: { type: 'string', format: 'uri' },
    type: { const: type },
    subject: { ...text, description: 'The resource of the management API, without `/v0/`.' },
    time: { ...dateTime, description: 'When it happened.' },
    datacontenttype: { const: 'application/json' },
    data: open(data),
  };
  const name = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return component(`${name.join('')}Event`, open({ ...shape, 'dataschema?': text }));
}

/** Any published event. */
export const anyEvent = component('Event', {
  description: 'A CloudEvent 1.0, in its JSON form.',
  oneOf: publicEventTypes.map((type) => {
    const data = members[type];
    if (!data) throw new Error(`The published event ${type} has no schema.`);
    return eventSchema(type, data);
  }),
});
