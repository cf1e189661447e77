import { type Attribution, type AuditEntry, type ChangedStream, ownWork } from '@app/event-store';
import { AsyncLocalStorage } from 'node:async_hooks';
import { currentRequestState, type Principal, type RequestContext } from '@app/http';

/** What the audit knows of a request of the management API while it is being answered. */
export interface RequestAudit {
  readonly action: string;
  /** The id in the address, or else of what leaves the service. */
  object: string | null;
  readonly isChange: boolean;
  /** Whether it leaves a row although it may have changed nothing that is stored. */
  needsRow: boolean;
  /** The outcome of the last row that was stored for it. */
  recorded: string | undefined;
}

const audits = new WeakMap<RequestContext, RequestAudit>();
const ofWallets: Attribution = { by: 'wallet' };
const workForWallets = new AsyncLocalStorage<Attribution>();

/** Says what the present request is about, once its handler is known. */
export function beginAudit(about: Pick<RequestAudit, 'action' | 'object' | 'isChange'>): void {
  const state = currentRequestState();
  if (state?.principal) audits.set(state.request, { ...about, needsRow: false, recorded: undefined });
}

/** The present request's; `undefined` for wallets, and for addresses without a handler. */
export function currentAudit(): RequestAudit | undefined {
  const state = currentRequestState();
  return state && audits.get(state.request);
}

/** To be called wherever sealed personal data is opened: when it is for a portal, the audit says so before the answer. */
export function notePersonalData(): void {
  needRow();
}

/**
 * To be called wherever something leaves the service on behalf of a portal.
 * @param object the id of what is sent, where the address need not have it
 */
export function noteSending(object: string | null = null): void {
  needRow();
  const audit = currentAudit();
  if (audit) audit.object ??= object;
}

/** To be called where something was changed that is no stream. @param object its id */
export function noteChange(object: string): void {
  noteSending(object);
}

function needRow(): void {
  const audit = currentAudit();
  if (audit) audit.needsRow = true;
}

/** Records outside of any request what a wallet did in one before. */
export function onBehalfOfWallets<T>(work: () => T): T {
  return workForWallets.run(ofWallets, work);
}

/** On whose behalf the store is asked to write at this moment. */
export function currentAttribution(): Attribution {
  const state = currentRequestState();
  if (!state) return workForWallets.getStore() ?? ownWork;
  const { principal, request } = state;
  const audit = audits.get(request);
  if (!principal || !audit) return ofWallets;
  return {
    by: principal.id,
    audit: (changed) => entryOf(principal, request, audit.action, objectOf(audit, changed), 'ok'),
    stored: () => {
      audit.recorded = 'ok';
    },
  };
}

export function entryOf(
  principal: Principal,
  { requestId }: RequestContext,
  action: string,
  object: string | null,
  outcome: string,
): AuditEntry {
  return { principal: principal.id, client: principal.client, action, object, outcome, requestId };
}

/** What was made or changed, before what the address names: a duplicate has the address of its original. */
function objectOf({ action, object }: RequestAudit, changed: readonly ChangedStream[]): string | null {
  const area = action.split('.', 1)[0];
  return changed.find(({ category }) => `${category}s` === area)?.id ?? object;
}
