import {
  type Approval,
  type ApprovalEvent,
  approve,
  type Caller,
  evolveApproval,
  expireApproval,
  isDecidable,
  reject,
  requestApproval,
  stateOf,
} from './approval';

const clerk: Caller = { principal: 'key:clerk', client: 'town-hall' };
const chief: Caller = { principal: 'key:chief', client: 'chancellery' };
const now = new Date('2027-06-30T12:00:00Z');
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const terms = {
  approvalId: 'a',
  action: 'credential.revoke',
  object: 'c',
  templateId: 't',
  requestedBy: clerk,
  sealedDetails: 's',
} as const;

function after(...events: readonly ApprovalEvent[]): Approval {
  const [first, ...others] = [...requestApproval(terms, now), ...events];
  if (!first) throw new Error('nothing was asked for');
  return others.reduce(evolveApproval, evolveApproval(undefined, first));
}
const decided = (by: Caller) => ({ decidedBy: by, decidedAt: now.toISOString() });
const decidable = (approval: Approval, by: Caller, verdict: 'approve' | 'reject' = 'approve', at = now) =>
  isDecidable(approval, verdict, { by, now: at });

describe('an approval', () => {
  it('is open for fourteen days', () => {
    expect(after().expiresAt).toBe(later(14).toISOString());
    expect(stateOf(after(), new Date(later(14).getTime() - 1))).toBe('open');
    expect(stateOf(after(), later(14))).toBe('expired');
    expect(() => decidable(after(), chief, 'approve', later(14))).toThrow('approval-ended');
    expect(() => decidable(after(), chief, 'reject', later(14))).toThrow('approval-ended');
    // That is recorded once, and not too early.
    expect(expireApproval(after(), new Date(later(14).getTime() - 1))).toEqual([]);
    const expired = expireApproval(after(), later(14));
    expect(after(...expired)).toMatchObject({ status: 'expired' });
    expect(expireApproval(after(...expired), later(15))).toEqual([]);
    expect(() => decidable(after(...expired), chief)).toThrow('approval-ended');
    // What was decided in time stays so.
    expect(expireApproval(after(...reject(decided(chief))), later(15))).toEqual([]);
    expect(stateOf(after(...approve(decided(chief), undefined)), later(15))).toBe('approved');
  });

  it.each<[string, Caller]>([
    ['the same key', clerk],
    ['another key of the client', { principal: 'key:other', client: 'town-hall' }],
    ['the same subject by another client', { principal: 'key:clerk', client: 'elsewhere' }],
  ])('is not given by %s', (_who, by) => {
    expect(() => decidable(after(), by)).toThrow('approval-by-requester');
    expect(decidable(after(), by, 'reject')).toBe(true);
  });

  it('is given by another person who comes by the same client', () => {
    const by = (subject: string): Caller => ({ principal: `oauth:https://login|${subject}`, client: 'oauth:portal' });
    const [first] = requestApproval({ ...terms, requestedBy: by('erika') }, now);
    const asked = evolveApproval(undefined, first as ApprovalEvent);
    expect(decidable(asked, by('max'))).toBe(true);
    expect(() => decidable(asked, by('erika'))).toThrow('approval-by-requester');
  });

  it('is decided once: a repetition changes nothing, anything else is refused', () => {
    const given = after(...approve(decided(chief), undefined));
    expect(decidable(given, chief)).toBe(false);
    expect(() => decidable(given, chief, 'reject')).toThrow('approval-ended');
    expect(() => decidable(given, { principal: 'key:third', client: 'third' })).toThrow('approval-ended');
    const refused = after(...reject(decided(chief)));
    expect(decidable(refused, chief, 'reject')).toBe(false);
    expect(() => decidable(refused, chief)).toThrow('approval-ended');
  });

  it('is unneeded where nothing can be done any more', () => {
    const unneeded = after(...approve(decided(chief), { reason: 'done-already' }));
    expect(unneeded).toMatchObject({ status: 'unneeded', decision: { cause: { reason: 'done-already' } } });
    expect(decidable(unneeded, chief)).toBe(false);
  });
});
