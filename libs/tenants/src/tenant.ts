import type { Aggregate } from '@app/event-store';
import type { Suspension, TenantLimits } from '@app/http';
import { isSameJson, type JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';

/** What may be changed of a tenant. */
export interface TenantContent {
  /** What people and wallets call the issuer, unless the settings name it in another way. */
  readonly displayName: string;
  /** Where wallets and people find it, without a slash at the end; absent for one below the URL of the service. */
  readonly publicUrl?: string;
  /** As `settingsOfTenant` takes them. */
  readonly settings: JsonObject;
  readonly limits: TenantLimits;
}

/** What becomes of its credentials when a tenant is deleted. */
export const fatesOfCredentials = ['keep-status', 'revoke-all'] as const;
export type FateOfCredentials = (typeof fatesOfCredentials)[number];

interface Suspended {
  readonly scope: Suspension;
  readonly reason?: string;
}

export type TenantEvent =
  | {
      readonly type: 'TenantCreated';
      readonly tenantId: string;
      readonly mark: string;
      readonly content: TenantContent;
      readonly createdAt: string;
      /** Absent for the first one. */
      readonly store?: string;
    }
  /** It is served nowhere until it was copied. */
  | { readonly type: 'TenantMoveBegun'; readonly to: string }
  /** It is served where it was copied to; what is left at the store before is to be removed. */
  | { readonly type: 'TenantMoved' }
  | { readonly type: 'TenantMoveEnded' }
  | { readonly type: 'TenantChanged'; readonly content: TenantContent }
  | ({ readonly type: 'TenantSuspended'; readonly suspendedAt: string } & Suspended)
  | { readonly type: 'TenantResumed' }
  | ({ readonly type: 'TenantDeletionBegun' } & DeletionTerms)
  | { readonly type: 'TenantRestored' }
  /** It can be restored no more: its keys are about to be destroyed. */
  | { readonly type: 'TenantClosed' }
  | { readonly type: 'TenantDeleted' };

interface DeletionTerms {
  readonly deletedAt: string;
  /** Until when it can be restored. */
  readonly restorableUntil: string;
  readonly credentials: FateOfCredentials;
}

export const tenantStatuses = ['Active', 'Suspended', 'Deleting', 'Deleted'] as const;
export type TenantStatus = (typeof tenantStatuses)[number];

export interface TenantState {
  readonly tenantId: string;
  /** See `Tenant` of @app/primitives/context. */
  readonly mark: string;
  readonly content: TenantContent;
  readonly createdAt: string;
  /** That has what is of it; absent for the first one. */
  readonly store?: string;
  /** Stores are named as by operators: the first one is `firstStore`. */
  readonly move?: { readonly from: string; readonly to: string; readonly phase: 'copying' | 'moved' };
  readonly suspension?: Suspended & { readonly suspendedAt: string };
  readonly deletion?: DeletionTerms & { readonly phase: 'restorable' | 'closed' | 'done' };
}

export function statusOf({ suspension, deletion }: TenantState): TenantStatus {
  if (deletion) return deletion.phase === 'done' ? 'Deleted' : 'Deleting';
  return suspension ? 'Suspended' : 'Active';
}

/**
 * Nothing when the same was asked for before and nothing has happened to it since: whoever asks may not have heard the answer.
 * Throws `conflict` when the id was ever taken otherwise: its addresses are in credentials, which outlive it.
 */
export function createTenant(
  present: { readonly state: TenantState | undefined; readonly version: number },
  tenantId: string,
  made: Pick<TenantState, 'mark' | 'content' | 'createdAt' | 'store'>,
): TenantEvent[] {
  if (present.state === undefined) return [{ type: 'TenantCreated', tenantId, ...made }];
  const isSame = isSameJson(present.state.content, made.content) && present.state.store === made.store;
  if (present.version === 1 && isSame) return [];
  throw idIsTaken(tenantId);
}

export function idIsTaken(tenantId: string): Problem {
  return new Problem('conflict', `There is, or was, a tenant with the id ${tenantId}; choose another.`);
}

/** Throws `conflict` for a tenant that is being deleted. */
export function changeTenant(tenant: TenantState, content: TenantContent): TenantEvent[] {
  assertKept(tenant);
  return isSameJson(content, tenant.content) ? [] : [{ type: 'TenantChanged', content }];
}

/** What operators call the store that has the tenants themselves. */
export const firstStore = 'first';

export function storeNameOf({ store = firstStore }: Pick<TenantState, 'store'>): string {
  return store;
}

/** Throws `conflict` for a tenant that is being deleted, or moved to another store. */
export function beginMove(tenant: TenantState, to: string): TenantEvent[] {
  assertKept(tenant);
  const { move } = tenant;
  if (move && move.to !== to)
    throw new Problem('conflict', `The tenant is being moved to the store ${move.to}; move it there first.`);
  return move || storeNameOf(tenant) === to ? [] : [{ type: 'TenantMoveBegun', to }];
}

/** Once everything of it was copied. */
export function switchStore({ move }: TenantState): TenantEvent[] {
  return move?.phase === 'copying' ? [{ type: 'TenantMoved' }] : [];
}

/** Once nothing of it is left where it was. */
export function endMove({ move }: TenantState): TenantEvent[] {
  return move?.phase === 'moved' ? [{ type: 'TenantMoveEnded' }] : [];
}

/** Throws `conflict` for a tenant that is being deleted. */
export function suspendTenant(tenant: TenantState, asked: Suspended, now: Date): TenantEvent[] {
  assertKept(tenant);
  const { suspension } = tenant;
  if (suspension && suspension.scope === asked.scope && suspension.reason === asked.reason) return [];
  return [{ type: 'TenantSuspended', ...asked, suspendedAt: now.toISOString() }];
}

/** Throws `conflict` for a tenant that is being deleted. */
export function resumeTenant(tenant: TenantState): TenantEvent[] {
  assertKept(tenant);
  return tenant.suspension ? [{ type: 'TenantResumed' }] : [];
}

/** Throws `conflict` when it is being deleted on other terms. @param days in which it can be restored */
export function deleteTenant(
  { deletion, move }: TenantState,
  credentials: FateOfCredentials,
  now: Date,
  days: number,
): TenantEvent[] {
  if (deletion && deletion.credentials !== credentials) {
    const detail = `The tenant is being deleted with credentials ${deletion.credentials}; restore it to choose otherwise.`;
    throw new Problem('conflict', detail);
  }
  if (deletion) return [];
  if (move) throw new Problem('conflict', `The tenant is being moved to the store ${move.to}; move it there first.`);
  const restorableUntil = new Date(now.getTime() + days * 24 * 60 * 60 * 1000).toISOString();
  return [{ type: 'TenantDeletionBegun', deletedAt: now.toISOString(), restorableUntil, credentials }];
}

/** Throws `conflict` once its time is over. */
export function restoreTenant({ deletion }: TenantState, now: Date): TenantEvent[] {
  if (!deletion) return [];
  if (deletion.phase === 'restorable' && now < new Date(deletion.restorableUntil)) return [{ type: 'TenantRestored' }];
  throw new Problem('conflict', `The tenant could be restored until ${deletion.restorableUntil}; create another one.`);
}

/** Ends the time in which it can be restored, when that is over. */
export function closeTenant({ deletion }: TenantState, now: Date): TenantEvent[] {
  const isDue = deletion?.phase === 'restorable' && now >= new Date(deletion.restorableUntil);
  return isDue ? [{ type: 'TenantClosed' }] : [];
}

/** Once its keys are destroyed. */
export function finishDeletion({ deletion }: TenantState): TenantEvent[] {
  return deletion?.phase === 'closed' ? [{ type: 'TenantDeleted' }] : [];
}

export function evolveTenant(tenant: TenantState | undefined, event: TenantEvent): TenantState {
  if (event.type === 'TenantCreated') {
    const { type: _type, ...made } = event;
    return made;
  }
  if (!tenant) throw new Error(`a tenant that is not there: ${event.type}`);
  const { suspension, deletion, ...rest } = tenant;
  const kept = { ...rest, ...(suspension && { suspension }) };
  switch (event.type) {
    case 'TenantMoveBegun':
      return { ...tenant, move: { from: storeNameOf(tenant), to: event.to, phase: 'copying' } };
    case 'TenantMoved': {
      const { store: _store, move, ...moved } = tenant;
      if (!move) return tenant;
      return { ...moved, ...(move.to !== firstStore && { store: move.to }), move: { ...move, phase: 'moved' } };
    }
    case 'TenantMoveEnded': {
      const { move: _move, ...settled } = tenant;
      return settled;
    }
    case 'TenantChanged':
      return { ...tenant, content: event.content };
    case 'TenantSuspended': {
      const { type: _type, ...terms } = event;
      return { ...tenant, suspension: terms };
    }
    case 'TenantResumed':
      return rest;
    case 'TenantDeletionBegun': {
      const { type: _type, ...terms } = event;
      return { ...kept, deletion: { ...terms, phase: 'restorable' } };
    }
    case 'TenantRestored':
      return kept;
    case 'TenantClosed':
      return { ...kept, ...(deletion && { deletion: { ...deletion, phase: 'closed' } }) };
    case 'TenantDeleted':
      return { ...kept, ...(deletion && { deletion: { ...deletion, phase: 'done' } }) };
  }
}

/** Throws `conflict` for a tenant that is being deleted. */
export function assertKept({ deletion }: TenantState): void {
  if (!deletion) return;
  const isOver = deletion.phase !== 'restorable';
  throw new Problem('conflict', isOver ? 'The tenant is deleted.' : 'The tenant is being deleted; restore it first.');
}

/** Its streams are those of the service itself: no tenant has tenants. */
export const tenantAggregate: Aggregate<TenantState, TenantEvent> = { category: 'tenant', evolve: evolveTenant };

/** Injection token of the repository of tenants. */
export const TENANTS = Symbol('TENANTS');
