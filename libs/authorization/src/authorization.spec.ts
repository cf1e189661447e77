import * as fc from 'fast-check';
import { type Authorization, authorizationAggregate, type AuthorizationEvent } from './authorization';
import {
  type CodeRedemption,
  erasePerson,
  forgetPerson,
  giveConsent,
  identifyPerson,
  pushAuthorization,
  redeemCode,
  refuseConsent,
  revokeAuthorization,
} from './authorization-decisions';

const start = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const terms = {
  authorizationId: 'a1',
  handleSalt: 'salt',
  clientId: 'wallet',
  redirectUri: 'https://wallet.example/cb',
  codeChallenge: 'challenge',
  configurationIds: ['diploma'],
  identifiersGiven: false,
  instanceKey: 'instance',
  dpopKey: 'key',
  pushedAt: at(0).toISOString(),
  completableUntil: at(660).toISOString(),
};
const person = { source: 'development', sealedClaims: 'sealed', session: 'browser' } as const;
const code = { codeHash: 'hash', expiresAt: at(160).toISOString() };
const told = { session: 'browser', error: 'access_denied', until: at(80).toISOString() } as const;
const redemption: CodeRedemption = {
  clientId: 'wallet',
  redirectUri: 'https://wallet.example/cb',
  codeHash: 'hash',
  verifierHash: 'challenge',
  instanceKey: 'instance',
  dpopKey: 'key',
  grantEndsAt: at(1000),
  now: at(110),
};

function folded(events: readonly AuthorizationEvent[], from?: Authorization): Authorization {
  const state = events.reduce<Authorization | undefined>((so, event) => authorizationAggregate.evolve(so, event), from);
  if (!state) throw new Error('nothing was pushed');
  return state;
}

const pushed = folded(pushAuthorization(terms));
const identified = folded(identifyPerson(pushed, person, at(10)).events, pushed);
const withCode = folded(giveConsent(identified, { session: 'browser', code }, at(100)).events, identified);
const redeemed = folded(redeemCode(withCode, redemption).events, withCode);
const nothingMore = { events: [], refusal: 'ended' };

describe('a pushed authorization request', () => {
  it('becomes a code when the person is known and agrees', () => {
    expect(withCode).toMatchObject({ status: 'code-issued', source: 'development', codeHash: 'hash' });
  });

  it('is not agreed to before it is known who the person is', () => {
    expect(giveConsent(pushed, { session: 'browser', code }, at(10))).toEqual({
      events: [],
      refusal: 'not-identified',
    });
  });

  it('ends with the first decision of the person', () => {
    const refused = folded(refuseConsent(identified, told, at(20)).events, identified);
    expect(refused).not.toHaveProperty('sealedClaims');
    const another = { session: 'browser', code: { ...code, codeHash: 'another' } };
    for (const ended of [refused, withCode, redeemed]) {
      expect(giveConsent(ended, another, at(30))).toEqual({ events: [], refusal: 'ended' });
      expect(refuseConsent(ended, { ...told, session: 'other' }, at(30))).toMatchObject(nothingMore);
      expect(identifyPerson(ended, person, at(30))).toEqual(nothingMore);
    }
    expect(refuseConsent(withCode, told, at(110))).toMatchObject(nothingMore);
  });

  it('has its code again for the browser that was given it, until it is redeemed, expires or is erased', () => {
    const again = { session: 'browser', code };
    expect(giveConsent(withCode, again, at(159))).toEqual({ events: [] });
    expect(giveConsent(withCode, again, at(160))).toEqual(nothingMore);
    expect(giveConsent(withCode, { ...again, session: 'other' }, at(110))).toEqual(nothingMore);
    const erased = folded(erasePerson(withCode, 'request', at(105)), withCode);
    for (const ended of [redeemed, erased]) expect(giveConsent(ended, again, at(110))).toEqual(nothingMore);
  });

  it('has its first refusal again for the browser that was told, until the person is forgotten', () => {
    const { events, answer } = refuseConsent(identified, told, at(20));
    expect([events, answer]).toEqual([[{ type: 'ConsentRefused', answer: told }], told]);
    const refused = folded(events, identified);
    const again = { ...told, error: 'server_error', until: at(139).toISOString() } as const;
    expect(refuseConsent(refused, again, at(79))).toEqual({ events: [], answer: told });
    expect(refuseConsent(refused, again, at(80))).toMatchObject(nothingMore);
    expect(refused.eraseAt).toBe(told.until);
    expect(refuseConsent({ ...refused, erasedAt: at(30).toISOString() }, again, at(31))).toMatchObject(nothingMore);
  });

  it('expires', () => {
    expect(giveConsent(identified, { session: 'browser', code }, at(659)).refusal).toBeUndefined();
    expect(giveConsent(identified, { session: 'browser', code }, at(660))).toEqual({ events: [], refusal: 'expired' });
    expect(identifyPerson(pushed, person, at(660))).toEqual({ events: [], refusal: 'expired' });
    expect(refuseConsent(pushed, told, at(660))).toMatchObject({ events: [], refusal: 'expired' });
  });

  it('records a presentation once for each browser, however often its page is opened, and a login each time', () => {
    const shown = { ...person, source: 'presentation' } as const;
    const known = folded(identifyPerson(pushed, shown, at(10)).events, pushed);
    expect(identifyPerson(known, shown, at(11))).toEqual({ events: [] });
    const elsewhere = { ...shown, session: 'other' };
    expect(identifyPerson(known, elsewhere, at(11)).events).toEqual([{ type: 'PersonIdentified', ...elsewhere }]);
    expect(identifyPerson(identified, person, at(11)).events).toHaveLength(1);
  });
});

describe('a code', () => {
  it('is redeemed by the wallet that it was issued to', () => {
    expect(redeemed).toMatchObject({ status: 'redeemed', tokenKey: 'key' });
    expect(redeemCode(withCode, { ...redemption, now: at(159) }).refusal).toBeUndefined();
  });

  it.each<[string, Partial<CodeRedemption>]>([
    ['unknown-code', { codeHash: 'another' }],
    ['code-expired', { now: at(160) }],
    ['other-client', { clientId: 'another' }],
    ['other-wallet', { instanceKey: 'another' }],
    ['other-wallet', { instanceKey: undefined }],
    ['other-redirect-uri', { redirectUri: 'https://wallet.example/cb/' }],
    ['other-redirect-uri', { redirectUri: undefined }],
    ['wrong-verifier', { verifierHash: 'another' }],
    ['wrong-verifier', { verifierHash: undefined }],
    ['other-key', { dpopKey: 'another' }],
    ['other-key', { dpopKey: undefined }],
    ['scope-wider', { requested: ['diploma', 'passport'] }],
  ])('is refused as %s and stays good with %j', (refusal, wrong) => {
    expect(redeemCode(withCode, { ...redemption, ...wrong })).toEqual({ events: [], refusal });
  });

  it('revokes what it gave when it is used again, by another client too', () => {
    const again = redeemCode(redeemed, { ...redemption, clientId: 'thief', now: at(900) });
    expect(again).toEqual({
      events: [{ type: 'AuthorizationRevoked', cause: 'code-reused' }, expect.objectContaining({ cause: 'retention' })],
      refusal: 'code-used',
    });
    const revoked = folded(again.events, redeemed);
    expect(revoked).not.toHaveProperty('sealedClaims');
    expect(redeemCode(revoked, redemption)).toEqual({ events: [], refusal: 'code-used' });
  });

  it('leaves what it gave alone when another code is tried', () => {
    expect(redeemCode(redeemed, { ...redemption, codeHash: 'another' })).toEqual({
      events: [],
      refusal: 'unknown-code',
    });
  });
});

type Step = (state: Authorization, now: Date) => readonly AuthorizationEvent[];
const steps: Readonly<Record<string, Step>> = {
  identify: (state, now) => identifyPerson(state, person, now).events,
  agree: (state, now) =>
    giveConsent(
      state,
      { session: 'browser', code: { ...code, expiresAt: new Date(now.getTime() + 60_000).toISOString() } },
      now,
    ).events,
  refuse: (state, now) =>
    refuseConsent(state, { ...told, until: new Date(now.getTime() + 60_000).toISOString() }, now).events,
  forget: (state, now) => forgetPerson(state, now),
  redeem: (state, now) => redeemCode(state, { ...redemption, now }).events,
  steal: (state, now) => redeemCode(state, { ...redemption, verifierHash: undefined, now }).events,
  revoke: (state, now) => revokeAuthorization(state, 'portal', now),
};

describe('whatever happens to an authorization', () => {
  it('gives at most one code and one redemption, each after its reason, and nothing after its end', () => {
    const happening = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.integer({ min: 0, max: 200 }));
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), (happenings) => {
        const events = [...pushAuthorization(terms)];
        let state = folded(events);
        let seconds = 0;
        for (const [name, later] of happenings) {
          seconds += later;
          const next = steps[name]?.(state, at(seconds)) ?? [];
          if (next.length > 0) state = folded(next, state);
          events.push(...next);
        }
        const types = events.map(({ type }) => type);
        const count = (type: AuthorizationEvent['type']): number => types.filter((one) => one === type).length;
        expect(count('CodeIssued')).toBeLessThanOrEqual(1);
        expect(count('CodeRedeemed')).toBeLessThanOrEqual(count('CodeIssued'));
        expect(count('CodeIssued')).toBe(count('ConsentGiven'));
        expect(count('CodeIssued') + count('ConsentRefused')).toBeLessThanOrEqual(1);
        expect(count('AuthorizationRevoked') + count('ConsentRefused')).toBeLessThanOrEqual(1);
        const end = types.findIndex((type) => type === 'AuthorizationRevoked' || type === 'ConsentRefused');
        if (end >= 0) expect(types.slice(end + 1).filter((type) => type !== 'PersonalDataErased')).toEqual([]);
        expect(count('PersonalDataErased')).toBeLessThanOrEqual(1);
        expect('sealedClaims' in state).toBe(end < 0 && types.includes('PersonIdentified'));
      }),
    );
  });
});
