import { type Answer, entityTag, HttpReply } from '@app/http';
import { catalogue, type ProblemSlug } from '@app/primitives/problems';
import { type Caller, stateOf, type Unneeded } from './approval';
import { idNameOf } from './approval-publication';
import type { OpenedApproval } from './approval-records';
import type { approvals } from './approvals.contract';

export function approvalView({ approval, now, details, comment, names }: OpenedApproval): Answer<typeof approvals.get> {
  const { approvalId, action, object, templateId, requestedBy, requestedAt, expiresAt, decision } = approval;
  const idName = idNameOf(action);
  const state = stateOf(approval, now);
  return {
    approvalId,
    action,
    templateId,
    ...(idName !== 'templateId' && { [idName]: object }),
    state,
    requestedBy: named(requestedBy, names?.requestedBy),
    requestedAt,
    expiresAt,
    ...(decision && { decidedBy: named(decision.decidedBy, names?.decidedBy), decidedAt: decision.decidedAt }),
    ...(decision?.cause && { outcome: outcomeText(decision.cause) }),
    ...(state === 'expired' && { outcome: 'Nobody decided in time: ask for it again.' }),
    ...(details && { details }),
    ...(comment !== undefined && { comment }),
  };
}

function named(caller: Caller, name: string | undefined): Caller & { readonly name?: string } {
  return { ...caller, ...(name !== undefined && { name }) };
}

/** For an answer that awaits it. */
export function approvalReply({ approval: asked, version, now }: OpenedApproval): HttpReply {
  const headers = { Location: `/v0/approvals/${asked.approvalId}`, ETag: entityTag(version) };
  return new HttpReply(202, approvalView({ approval: asked, version, now }), headers);
}

function outcomeText(cause: Unneeded): string {
  switch (cause.reason) {
    case 'done-already':
      return 'It had been done already.';
    case 'template-changed':
      return 'The template was changed after it was asked for.';
    case 'import-changed':
      return 'The import was started, changed or cancelled after it was asked for.';
    case 'requester-not-allowed':
      return 'The one who asked for it may not do it any more.';
    case 'asked-anew':
      return 'Something else was asked for in its place.';
    case 'refused':
      return `It cannot be done any more: ${titleOf(cause.problem)}.`;
  }
}

function titleOf(slug: string): string {
  return slug in catalogue ? catalogue[slug as ProblemSlug].title : slug;
}
