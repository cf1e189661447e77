import { awaitsApproval } from '@app/approvals';
import { closed, component, eg, integer, is, problemSchema, resource, text } from '@app/http';
import { hasAtMost } from '@app/primitives/json';
import { ofCredential, shared } from './credentials.contract';
import { type ValidityChange, validityChanges } from '../credential/validity';

const mostAtOnce = 1000;
const mostOfId = 256;

const hasReason = is.Optional(
  'For the history of the credential. It is erased with the data of the person, and not stored after that.',
  is.Text(1, 256),
);

class ChangeValidityBody {
  @hasReason
  readonly reason?: string;
}

function isListOfIds(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= mostAtOnce &&
    value.every((id) => typeof id === 'string' && id !== '' && hasAtMost(id, mostOfId))
  );
}

class ChangeValiditiesBody {
  @is.Required('What is to be done with each.', is.OneOf(validityChanges))
  readonly change!: ValidityChange;
  @is.Required(
    'The credentials.',
    is.Check('isListOfIds', `must be a list of 1 to ${mostAtOnce} credential ids`, isListOfIds),
    is.Shown({
      type: 'array',
      minItems: 1,
      maxItems: mostAtOnce,
      items: { type: 'string', minLength: 1, maxLength: mostOfId },
      examples: [['membership-4711']],
    }),
  )
  readonly credentialIds!: readonly string[];
  @hasReason
  readonly reason?: string;
}

const reach = 'Verifiers that keep the status list see it within twice `SERVICE__STATUS_LISTS__TTL_SECONDS`.';
const problems = ['credential-not-issued', 'credential-not-revocable', 'credential-revoked'] as const;
const change = { body: ChangeValidityBody, problems };

export const credentialValidity = resource(ofCredential, {
  suspend: {
    ...change,
    id: 'suspendCredential',
    route: 'POST :credentialId/suspend',
    summary: 'Suspend an issued credential until it is reinstated',
    description: `All copies of it are suspended. ${reach} A repetition changes nothing.`,
    examples: { lost: { reason: 'The phone was lost.' } },
    answers: { 204: 'The credential is suspended.' },
  },
  reinstate: {
    ...change,
    id: 'reinstateCredential',
    route: 'POST :credentialId/reinstate',
    summary: 'Make a suspended credential valid again',
    description: `${reach} A repetition changes nothing.`,
    examples: { found: { reason: 'The phone was found.' } },
    answers: { 204: 'The credential is valid.' },
  },
  revoke: {
    ...change,
    id: 'revokeCredential',
    route: 'POST :credentialId/revoke',
    summary: 'Revoke an issued credential permanently',
    description: `All copies of it are revoked, for good. ${reach} A repetition changes nothing.`,
    examples: { left: { reason: 'The membership has ended.' } },
    answers: { 202: awaitsApproval, 204: 'The credential is revoked.' },
  },
});

const result = component(
  'StatusChangeResult',
  closed({
    index: { ...integer, minimum: 0, description: 'The place of the id in the request.' },
    credentialId: text,
    status: { ...integer, description: 'What the operation for this credential alone would have answered.' },
    'problem?': problemSchema,
    'approvalId?': { ...text, description: 'With status 202: the approval that it waits for.' },
  }),
);
const results = eg([{ index: 0, credentialId: 'membership-4711', status: 204 }], { type: 'array', items: result });

export const credentialValidities = resource(
  { ...shared, path: 'v0/credentials/status_changes' },
  {
    changeAll: {
      id: 'changeCredentialStatuses',
      route: 'POST',
      summary: `Suspend, reinstate or revoke up to ${mostAtOnce} credentials`,
      description: 'Each succeeds or fails on its own. A repetition of the request changes nothing.',
      body: ChangeValiditiesBody,
      bodyLimit: 'batch',
      examples: { revoked: { change: 'revoke', credentialIds: ['membership-4711'], reason: 'The key was lost.' } },
      answers: {
        200: {
          description: 'One result for each id, in the order of the request.',
          schema: closed({ items: results }),
        },
      },
    },
  },
);
