import type { VNode } from 'preact';
import type { Approval } from '../api/resources';
import { addressOf } from '../place';
import { text } from '../texts';
import { RichText } from './rich-text';

/** The approval that an action has asked for in place of being carried out. */
export function approvalIn(answer: unknown): Approval | undefined {
  const isApproval = typeof answer === 'object' && answer !== null && 'approvalId' in answer && 'action' in answer;
  return isApproval ? (answer as Approval) : undefined;
}

/** Says that a second person has to approve what was just asked for. @param answer of the service to it */
export function ApprovalNotice({ answer }: { readonly answer: unknown }): VNode {
  const approval = approvalIn(answer);
  return (
    <div role="status">
      {approval && (
        <p class="notice">
          <RichText
            of="approvals.needed"
            with={{ link: <a href={addressOf('approvals', approval.approvalId)}>{text('approvals.see')}</a> }}
          />
        </p>
      )}
    </div>
  );
}
