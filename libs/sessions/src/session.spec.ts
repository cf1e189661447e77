import { sessionEnd, type StoredSession } from './session';

const start = Date.UTC(2027, 5, 30, 12);
const at = (minutes: number): Date => new Date(start + minutes * 60_000);
const session = (changed: Partial<StoredSession> = {}): StoredSession => ({
  ...{ hash: Buffer.alloc(32), id: 'id', subject: 'oauth:i|s', sidHash: null, roles: [], sealed: '', tenant: '' },
  ...{ authenticatedAt: at(0), createdAt: at(0), seenAt: at(0), rolesReadAt: at(0), now: at(0) },
  ...{ endsAt: at(600), endedAt: null, isProven: true },
  ...changed,
});

describe('a session', () => {
  it.each<[string, Partial<StoredSession>, number, ReturnType<typeof sessionEnd>]>([
    ['goes on for half an hour', {}, 29, undefined],
    ['ends without its person', {}, 30, 'idle'],
    ['goes on while its person is there', { seenAt: at(599) }, 599.9, undefined],
    ['ends in any case', { seenAt: at(599) }, 600, 'over'],
    ['ends when it was ended', { endedAt: at(1) }, 1, 'ended'],
    ['is none that nobody has proven', { isProven: false, endedAt: at(1) }, 1, 'altered'],
    ['bears a clock that is a little behind', {}, -0.9, undefined],
    ['is not believed when the clock went back to before it began', {}, -2, 'over'],
    ['is not believed when the clock went back to before it was used', { seenAt: at(20) }, 10, 'over'],
    ['ends when the clock jumps ahead', {}, 24 * 60, 'over'],
  ])('%s', (_what, changed, minutes, end) => {
    expect(sessionEnd(session(changed), at(minutes))).toBe(end);
  });
});
