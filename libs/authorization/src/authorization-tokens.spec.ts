import { type Authorization, authorizationAggregate, type AuthorizationEvent } from './authorization';
import {
  forgetPerson,
  giveConsent,
  identifyPerson,
  pushAuthorization,
  redeemCode,
  type Refresh,
  refreshToken,
  refuseConsent,
  revokeAuthorization,
  revokeForClient,
} from './authorization-decisions';

const start = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const erasedAt = (seconds: number) => ({
  type: 'PersonalDataErased',
  erasedAt: at(seconds).toISOString(),
  cause: 'retention',
});

function folded(events: readonly AuthorizationEvent[], from?: Authorization): Authorization {
  const state = events.reduce<Authorization | undefined>((so, event) => authorizationAggregate.evolve(so, event), from);
  if (!state) throw new Error('nothing was pushed');
  return state;
}

const pushed = folded(
  pushAuthorization({
    authorizationId: 'a1',
    handleSalt: 'salt',
    clientId: 'wallet',
    redirectUri: 'https://wallet.example/cb',
    codeChallenge: 'challenge',
    configurationIds: ['diploma', 'student_card'],
    identifiersGiven: false,
    instanceKey: 'instance',
    pushedAt: at(0).toISOString(),
    completableUntil: at(660).toISOString(),
  }),
);
const session = 'browser';
const person = { source: 'development', sealedClaims: 'sealed', session } as const;
const identified = folded(identifyPerson(pushed, person, at(10)).events, pushed);
const code = { codeHash: 'hash', expiresAt: at(160).toISOString() };
const withCode = folded(giveConsent(identified, { session, code }, at(100)).events, identified);
const told = { session, error: 'access_denied', until: at(80).toISOString() } as const;
const refused = folded(refuseConsent(identified, told, at(20)).events, identified);

function redeemedBy(key: string | undefined): Authorization {
  const redemption = {
    clientId: 'wallet',
    redirectUri: 'https://wallet.example/cb',
    codeHash: 'hash',
    verifierHash: 'challenge',
    instanceKey: 'instance',
    dpopKey: key,
    grantEndsAt: at(5000),
    now: at(110),
  };
  return folded(redeemCode(withCode, redemption).events, withCode);
}

const redeemed = redeemedBy('key');
const refresh: Refresh = {
  clientId: 'wallet',
  isAuthenticated: true,
  instanceKey: 'instance',
  dpopKey: 'key',
  tokenEndsAt: at(4300),
  now: at(4000),
};

describe('a refresh token', () => {
  it('gives another access token until the grant ends, as often as it is used', () => {
    const { events } = refreshToken(redeemed, refresh);
    expect(events).toEqual([{ type: 'TokenRefreshed', refreshedAt: at(4000).toISOString() }]);
    const last = { ...refresh, tokenEndsAt: at(5000), now: at(4700) };
    expect(refreshToken(folded(events, redeemed), last).refusal).toBeUndefined();
  });

  it('is recorded once in a minute, however often it is used', () => {
    const once = folded(refreshToken(redeemed, refresh).events, redeemed);
    const again = (seconds: number) => refreshToken(once, { ...refresh, now: at(seconds) });
    expect([again(4000), again(4059)]).toEqual([{ events: [] }, { events: [] }]);
    expect(again(4060).events).toHaveLength(1);
  });

  it('gives a token for less than what was granted, and afterwards again for all of it', () => {
    const narrowed = refreshToken(redeemed, { ...refresh, configurationIds: ['student_card'] });
    expect(narrowed.events).toMatchObject([{ type: 'TokenRefreshed', configurationIds: ['student_card'] }]);
    const both = { ...refresh, configurationIds: ['diploma', 'student_card'] };
    expect(refreshToken(folded(narrowed.events, redeemed), both).refusal).toBeUndefined();
  });

  it.each<[string, Partial<Refresh>]>([
    ['grant-ended', { tokenEndsAt: at(5001), now: at(4701) }],
    ['other-client', { clientId: 'another' }],
    ['other-wallet', { instanceKey: 'another' }],
    ['other-wallet', { instanceKey: undefined }],
    ['other-key', { dpopKey: undefined }],
    ['other-key', { isAuthenticated: false, dpopKey: 'another' }],
    ['scope-wider', { configurationIds: ['student_card', 'passport'] }],
  ])('is refused as %s with %j', (refusal, wrong) => {
    expect(refreshToken(redeemed, { ...refresh, ...wrong })).toEqual({ events: [], refusal });
  });

  it('of a client that authenticates itself works with a new key', () => {
    expect(refreshToken(redeemed, { ...refresh, dpopKey: 'another' }).refusal).toBeUndefined();
  });

  it('ends with its authorization', () => {
    const revoked = folded(revokeAuthorization(redeemed, 'portal', at(200)), redeemed);
    for (const ended of [pushed, identified, withCode, revoked]) {
      expect(refreshToken(ended, refresh)).toEqual({ events: [], refusal: 'grant-ended' });
    }
  });
});

describe('a client', () => {
  const by = { clientId: 'wallet', instanceKey: 'instance' };

  it('revokes what it was given, once', () => {
    const { events } = revokeForClient(redeemed, by, at(200));
    expect(events).toEqual([{ type: 'AuthorizationRevoked', cause: 'wallet' }, erasedAt(200)]);
    expect(revokeForClient(folded(events, redeemed), by, at(201))).toEqual({ events: [] });
  });

  it('does not revoke what another was given', () => {
    expect(revokeForClient(redeemed, { ...by, clientId: 'another' }, at(200)).refusal).toBe('other-client');
    expect(revokeForClient(redeemed, { ...by, instanceKey: undefined }, at(200)).refusal).toBe('other-wallet');
  });
});

describe('what is known of the person', () => {
  it.each([
    ['the request is abandoned', identified, 660],
    ['the code is not redeemed', withCode, 160],
    ['the refused browser is told no more', refused, 80],
    ['the last token ends', redeemed, 5000],
  ])('is erased when %s, and not before', (_end, state, seconds) => {
    expect(state.eraseAt).toBe(at(seconds).toISOString());
    expect(forgetPerson(state, at(seconds - 1))).toEqual([]);
    const events = forgetPerson(state, at(seconds));
    expect(events).toEqual([erasedAt(seconds)]);
    expect(forgetPerson(folded(events, state), at(seconds + 1))).toEqual([]);
  });
});
