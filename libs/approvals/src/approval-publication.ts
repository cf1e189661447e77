import type { Publication } from '@app/event-store';
import { approvalAggregate, type ApprovalAction, type ApprovalEvent, type ApprovalState } from './approval';

const states: Readonly<Partial<Record<ApprovalEvent['type'], ApprovalState>>> = {
  ApprovalRequested: 'open',
  ApprovalGiven: 'approved',
  ApprovalRefused: 'rejected',
  ApprovalUnneeded: 'unneeded',
  ApprovalExpired: 'expired',
};

export const approvalPublication: Publication<ApprovalEvent> = {
  category: approvalAggregate.category,
  resources: 'approvals',
  types: {
    ApprovalRequested: 'approval.requested',
    ApprovalGiven: 'approval.approved',
    ApprovalRefused: 'approval.rejected',
    ApprovalUnneeded: 'approval.unneeded',
    ApprovalExpired: 'approval.expired',
    PersonalDataErased: null,
  },
  time: (event) => (event.type === 'ApprovalExpired' ? event.expiresAt : undefined),
  data: ({ id, event, terms: { action, object, templateId } = {} }) => ({
    approvalId: id,
    action,
    templateId,
    [idNameOf(action as ApprovalAction)]: object,
    state: states[event.type],
  }),
};

/** What the thing that an action is about is called by. */
export function idNameOf(action: ApprovalAction): 'credentialId' | 'templateId' | 'importId' {
  switch (action) {
    case 'credential.revoke':
      return 'credentialId';
    case 'import.start':
      return 'importId';
    case 'template.publish':
    case 'template.change':
      return 'templateId';
  }
}
