import { longestDeferralDays } from '@app/config';
import { boundUntil } from './offer-lifetime';

const extendableUntil = new Date('2026-11-20T10:00:00Z');
const day = 24 * 60 * 60 * 1000;

describe('the handle of an offer', () => {
  it('is bound as long as the offer can be accepted', () => {
    expect(boundUntil(extendableUntil)).toEqual(extendableUntil);
  });

  it('of a deferred offer is bound until no wallet waits any more, and one day longer', () => {
    const until = boundUntil(extendableUntil, true).getTime();
    expect(until).toBeGreaterThan(extendableUntil.getTime() + (longestDeferralDays + 1) * day);
  });
});
