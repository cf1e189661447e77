import type { Aggregate, Erasable, PersonalDataErased, StateListQuery } from '@app/event-store';
import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';

/** What a second person may have to approve. */
export const approvalActions = ['credential.revoke', 'template.publish', 'template.change', 'import.start'] as const;
export type ApprovalAction = (typeof approvalActions)[number];

/** Who called: the stable names of `Principal`. */
export interface Caller {
  readonly principal: string;
  readonly client: string;
}

/** What is asked for in place of doing it. */
export interface AskedApproval {
  readonly action: ApprovalAction;
  /** The id of the credential, the template or the import. */
  readonly object: string;
  readonly templateId: string;
  /** What the carrying out needs to know; sealed. */
  readonly details: JsonObject;
}

export interface ApprovalTerms {
  readonly approvalId: string;
  readonly action: ApprovalAction;
  /** The id of the credential, the template or the import. */
  readonly object: string;
  readonly templateId: string;
  readonly requestedBy: Caller;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** Under the data key of the approval: what exactly was asked for, and the name of who did. */
  readonly sealedDetails: string;
}

/** Why what was approved is not done. */
export type Unneeded =
  | { readonly reason: 'done-already' | 'template-changed' | 'import-changed' | 'requester-not-allowed' | 'asked-anew' }
  /** The service would refuse it to the requester as well. @param problem its slug */
  | { readonly reason: 'refused'; readonly problem: string };

interface Decided {
  readonly decidedBy: Caller;
  readonly decidedAt: string;
  /** Under the data key of the approval, with the name of who decided; absent, too, when that was destroyed before. */
  readonly sealedComment?: string;
}

export type ApprovalEvent =
  | ({ readonly type: 'ApprovalRequested' } & ApprovalTerms)
  | ({ readonly type: 'ApprovalGiven' } & Decided)
  | ({ readonly type: 'ApprovalRefused' } & Decided)
  | ({ readonly type: 'ApprovalUnneeded'; readonly cause: Unneeded } & Decided)
  /** Nobody decided in time. */
  | { readonly type: 'ApprovalExpired'; readonly expiresAt: string }
  | PersonalDataErased;

export const approvalStates = ['open', 'approved', 'rejected', 'unneeded', 'expired'] as const;
export type ApprovalState = (typeof approvalStates)[number];

export type Approval = ApprovalTerms &
  Erasable & {
    readonly status: ApprovalState;
    readonly decision?: Decided & { readonly cause?: Unneeded };
  };

/** Days in which an approval is decided on. */
export const lifetimeDays = 14;

export function requestApproval(
  terms: Omit<ApprovalTerms, 'requestedAt' | 'expiresAt'>,
  now: Date,
): readonly ApprovalEvent[] {
  const expiresAt = new Date(now.getTime() + lifetimeDays * 24 * 60 * 60 * 1000).toISOString();
  return [{ type: 'ApprovalRequested', ...terms, requestedAt: now.toISOString(), expiresAt }];
}

/** An open one whose time has passed is expired before that is recorded. */
export function stateOf({ status, expiresAt }: Approval, now: Date): ApprovalState {
  return status === 'open' && now.getTime() >= Date.parse(expiresAt) ? 'expired' : status;
}

/** Those whose expiry is to be recorded. */
export const approvalsToExpire: Pick<StateListQuery, 'statuses' | 'expiry'> = { statuses: ['open'], expiry: 'past' };

/** The filter for lists: which stored approvals are in this state by the clock of the database. */
export function approvalsStoredAs(state: ApprovalState): Pick<StateListQuery, 'statuses' | 'expiry'> {
  if (state === 'open') return { statuses: ['open'], expiry: 'future' };
  return state === 'expired' ? { statuses: ['expired', 'open'], expiry: 'past' } : { statuses: [state] };
}

/** Records that nobody has decided in time. */
export function expireApproval(approval: Approval, now: Date): readonly ApprovalEvent[] {
  const { status, expiresAt } = approval;
  return status === 'open' && stateOf(approval, now) === 'expired' ? [{ type: 'ApprovalExpired', expiresAt }] : [];
}

/**
 * Whether there is still something to decide; false when the same caller has decided so before. Throws `approval-by-requester` where
 * the approver is who asked, and `approval-ended`.
 */
export function isDecidable(
  approval: Approval,
  verdict: 'approve' | 'reject',
  { by, now }: { readonly by: Caller; readonly now: Date },
): boolean {
  const state = stateOf(approval, now);
  const isRepeated =
    approval.decision?.decidedBy.principal === by.principal &&
    (verdict === 'reject' ? state === 'rejected' : state === 'approved' || state === 'unneeded');
  if (isRepeated) return false;
  if (state !== 'open')
    throw new Problem('approval-ended', `The approval is ${state}; ask for what it was about again.`);
  if (verdict === 'approve' && isSame(approval.requestedBy, by)) {
    const whose = approval.requestedBy.principal === by.principal ? 'you' : 'another key of your client';
    throw new Problem('approval-by-requester', `It was asked for by ${whose}: somebody else has to approve it.`);
  }
  return true;
}

/** @param cause why nothing was done */
export function approve(decided: Decided, cause: Unneeded | undefined): readonly ApprovalEvent[] {
  return [cause ? { type: 'ApprovalUnneeded', cause, ...decided } : { type: 'ApprovalGiven', ...decided }];
}

export function reject(decided: Decided): readonly ApprovalEvent[] {
  return [{ type: 'ApprovalRefused', ...decided }];
}

/** Keys of one client are one person's, as far as anyone here can tell; persons who come by one client are not. */
function isSame(one: Caller, other: Caller): boolean {
  return one.principal === other.principal || (one.client === other.client && isKey(one) && isKey(other));
}

function isKey({ principal }: Caller): boolean {
  return /^(settings-)?key:/.test(principal);
}

export function evolveApproval(approval: Approval | undefined, event: ApprovalEvent): Approval {
  if (event.type === 'ApprovalRequested') {
    const { type: _type, ...terms } = event;
    return { ...terms, status: 'open' };
  }
  if (!approval) throw new Error(`an approval that is not there: ${event.type}`);
  switch (event.type) {
    case 'ApprovalGiven':
      return { ...approval, status: 'approved', decision: decisionIn(event) };
    case 'ApprovalRefused':
      return { ...approval, status: 'rejected', decision: decisionIn(event) };
    case 'ApprovalUnneeded':
      return { ...approval, status: 'unneeded', decision: { ...decisionIn(event), cause: event.cause } };
    case 'ApprovalExpired':
      return { ...approval, status: 'expired' };
    case 'PersonalDataErased':
      return { ...approval, erasedAt: event.erasedAt };
  }
}

function decisionIn({ decidedBy, decidedAt, sealedComment }: Decided): Decided {
  return { decidedBy, decidedAt, ...(sealedComment !== undefined && { sealedComment }) };
}

/** What approvals about one thing have in common. */
export function parentOf({ action, object }: Pick<ApprovalTerms, 'action' | 'object'>): string {
  return `${action.split('.', 1)[0]}-${object}`;
}

export const approvalAggregate: Aggregate<Approval, ApprovalEvent> = {
  category: 'approval',
  evolve: evolveApproval,
  foldVersion: 2,
  eventVersion: { ApprovalExpired: 2 },
  stateIndex: 'approvals_by_status',
  parent: parentOf,
  terms: ['action', 'object', 'templateId'],
};

/** Injection token of the repository of approvals. */
export const APPROVALS = Symbol('APPROVALS');
