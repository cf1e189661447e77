import { anyObject, closed, component, dateTime, eg, is, listOf, ListQuery, resource, text } from '@app/http';
import { approvalActions, type ApprovalState, approvalStates, lifetimeDays } from './approval';

class ApprovalQuery extends ListQuery {
  @is.Optional('Only those in this state.', is.OneOf(approvalStates))
  readonly state?: ApprovalState;
}

class DecideBody {
  @is.Optional('Why, for the one who asked. It is erased with the data of the person.', is.Text(1, 1000))
  readonly comment?: string;
}

const caller = closed({
  principal: eg('key:0aB3dE7x', { ...text, description: 'As the audit has it.' }),
  client: eg('town-hall'),
  'name?': { ...text, description: 'How the provider calls the person; sealed with the details. Not in lists.' },
});

const approval = component(
  'Approval',
  closed({
    approvalId: eg('8c0f1f6e-2a35-4b62-9c2e-5f8e2b1d7a90'),
    action: eg('credential.revoke', { enum: approvalActions }),
    templateId: eg('membership'),
    'credentialId?': eg('membership-4711', { ...text, description: 'Of a revocation.' }),
    'importId?': { ...text, description: 'Of the start of an import.' },
    state: eg('open', { enum: approvalStates }),
    requestedBy: eg({ principal: 'key:0aB3dE7x', client: 'town-hall' }, caller),
    requestedAt: eg('2027-06-30T12:00:00.000Z', dateTime),
    expiresAt: eg('2027-07-14T12:00:00.000Z', dateTime),
    'decidedBy?': caller,
    'decidedAt?': dateTime,
    'outcome?': { ...text, description: 'Of an approval that was unneeded or has expired: why nothing was done.' },
    'details?': {
      ...anyObject,
      description: 'What exactly was asked for, such as the `reason` of a revocation. Not in lists.',
    },
    'comment?': { ...text, description: 'Of the one who decided. Not in lists.' },
  }),
);

/** The answer 202 of operations that somebody else may have to approve. */
export const awaitsApproval = {
  description: 'Nothing is done yet: by `fourEyes` of the template, somebody else has to approve it.',
  schema: approval,
} as const;

const answers = { 200: { description: 'The approval.', schema: approval, etag: true } } as const;
const decision = { body: DecideBody, scope: 'approvals:decide', answers } as const;

export const approvals = resource(
  {
    path: 'v0/approvals',
    area: 'approvals',
    tag: 'Approvals',
    description:
      'What a second person has to approve, by `fourEyes` of its template. Not the approval of a single credential whose data is there ' +
      '(`approval: manual`).',
    parameters: { approvalId: { description: 'The id of the approval.', schema: text } },
  },
  {
    list: listOf('listApprovals', 'List the approvals, newest first', approval, ApprovalQuery),
    get: { id: 'getApproval', route: 'GET :approvalId', summary: 'Get an approval', answers },
    approve: {
      ...decision,
      id: 'approveRequest',
      route: 'POST :approvalId/approve',
      freshness: true,
      summary: 'Approve what somebody else has asked for',
      description:
        `It is done at once, if it can still be done and the one who asked may still do it; else the approval is \`unneeded\`, and \`outcome\` ` +
        `says why. Possible for ${lifetimeDays} days. A repetition changes nothing.`,
      examples: { agreed: { comment: 'Checked with the registrar.' }, silent: {} },
      problems: ['approval-by-requester', 'approval-ended'],
    },
    reject: {
      ...decision,
      id: 'rejectRequest',
      route: 'POST :approvalId/reject',
      summary: 'Reject what was asked for',
      description: 'Also for the one who asked, to take it back. A repetition changes nothing.',
      examples: { doubted: { comment: 'The card is still in use.' } },
      problems: ['approval-ended'],
    },
  },
);
