import { Problem } from '@app/primitives/problems';
import {
  changeTenant,
  closeTenant,
  createTenant,
  deleteTenant,
  evolveTenant,
  finishDeletion,
  restoreTenant,
  resumeTenant,
  statusOf,
  suspendTenant,
  type TenantEvent,
  type TenantState,
} from './tenant';

const content = { displayName: 'Musterstadt', settings: {}, limits: {} };
const now = new Date('2027-06-30T12:00:00.000Z');
const inDays = (days: number): Date => new Date(now.getTime() + days * 24 * 60 * 60 * 1000);

function after(decisions: ((tenant: TenantState) => TenantEvent[])[]): TenantState {
  const [first] = createTenant({ state: undefined, version: 0 }, 'town', {
    mark: 'abcdefgh',
    content,
    createdAt: now.toISOString(),
  });
  if (!first) throw new Error('nothing was created');
  return decisions.reduce<TenantState>(
    (tenant, decide) => decide(tenant).reduce<TenantState>(evolveTenant, tenant),
    evolveTenant(undefined, first),
  );
}

const suspend = (tenant: TenantState): TenantEvent[] => suspendTenant(tenant, { scope: 'all' }, now);
const remove = (tenant: TenantState): TenantEvent[] => deleteTenant(tenant, 'keep-status', now, 7);
const close = (tenant: TenantState): TenantEvent[] => closeTenant(tenant, inDays(7));

function slugOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Problem ? error.slug : 'other';
  }
}

describe('the life of a tenant', () => {
  it('has the status that its last act gave it', () => {
    expect(statusOf(after([]))).toBe('Active');
    expect(statusOf(after([suspend]))).toBe('Suspended');
    expect(statusOf(after([suspend, resumeTenant]))).toBe('Active');
    expect(statusOf(after([suspend, remove]))).toBe('Deleting');
    expect(statusOf(after([suspend, remove, (tenant) => restoreTenant(tenant, inDays(6))]))).toBe('Suspended');
    expect(statusOf(after([remove, close]))).toBe('Deleting');
    expect(statusOf(after([remove, close, finishDeletion]))).toBe('Deleted');
  });

  it('changes nothing by an act that is repeated, or comes too early', () => {
    expect(suspend(after([suspend]))).toEqual([]);
    expect(suspendTenant(after([suspend]), { scope: 'issuing' }, now)).toHaveLength(1);
    expect(resumeTenant(after([]))).toEqual([]);
    expect(remove(after([remove]))).toEqual([]);
    expect(restoreTenant(after([]), now)).toEqual([]);
    expect(closeTenant(after([remove]), inDays(6.999))).toEqual([]);
    expect(finishDeletion(after([remove]))).toEqual([]);
    expect(closeTenant(after([remove, close]), inDays(8))).toEqual([]);
    expect(finishDeletion(after([remove, close, finishDeletion]))).toEqual([]);
  });

  it('is there already when the same is asked for again, until something has happened to it', () => {
    // The store returns members in an order of its own.
    const state = after([]);
    const { displayName, settings, limits } = content;
    const made = { mark: 'ijklmnop', content: { limits, settings, displayName }, createdAt: now.toISOString() };
    expect(createTenant({ state, version: 1 }, 'town', made)).toEqual([]);
    expect(slugOf(() => createTenant({ state, version: 3 }, 'town', made))).toBe('conflict');
    const other = { ...made, content: { ...content, displayName: 'Other' } };
    expect(slugOf(() => createTenant({ state, version: 1 }, 'town', other))).toBe('conflict');
    expect(changeTenant(state, made.content)).toEqual([]);
  });

  it('is restored in time only, to the millisecond', () => {
    const deleted = after([remove]);
    expect(restoreTenant(deleted, new Date(inDays(7).getTime() - 1))).toHaveLength(1);
    expect(slugOf(() => restoreTenant(deleted, inDays(7)))).toBe('conflict');
    expect(slugOf(() => restoreTenant(after([remove, close]), now))).toBe('conflict');
    expect(slugOf(() => deleteTenant(deleted, 'revoke-all', now, 7))).toBe('conflict');
  });

  it('does not go on while it is being deleted, and its id is never free again', () => {
    for (const present of [after([remove]), after([remove, close, finishDeletion])]) {
      expect(slugOf(() => changeTenant(present, { ...content, displayName: 'Other' }))).toBe('conflict');
      expect(slugOf(() => suspend(present))).toBe('conflict');
      expect(slugOf(() => resumeTenant(present))).toBe('conflict');
      const made = { mark: 'ijklmnop', content, createdAt: now.toISOString() };
      expect(slugOf(() => createTenant({ state: present, version: 2 }, 'town', made))).toBe('conflict');
    }
  });
});
