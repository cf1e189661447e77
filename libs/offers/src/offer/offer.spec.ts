import type { DenialReason } from './denial';
import {
  createOffer,
  expireOffer,
  NewOffer,
  Offer,
  offerAggregate,
  OfferEvent,
  publicState,
  withdrawOffer,
} from './offer';
import { attachCredential } from './offer-attachment';
import { denyCredentials } from './offer-marks';
import { checkConsent, redeemByAuthorization, redeemOffer } from './offer-redemption';
import { takeOffline, takeOnline } from './offer-switching';

const now = new Date('2026-11-20T10:00:00Z');
const later = new Date('2026-11-22T10:00:00Z');
const terms: NewOffer = {
  offerId: '001',
  handleSalt: 'c2FsdA',
  expiresAt: '2026-11-21T10:00:00.000Z',
  extendableUntil: '2026-11-21T10:00:00.000Z',
  credentials: [{ configurationId: 'diploma', credentialId: 'c1' }],
};
const transactionCode = { digest: 'd', inputMode: 'numeric', length: 6 } as const;
const granted = { configurationIds: ['diploma'], identifiersGiven: false };
const requestHash = 'h';
const fetchedAt = new Date('2026-11-20T09:59:30Z');
const byAuthorization = { identification: 'development' } as const;
const by = { authorizationId: 'a1', clientId: 'wallet' } as const;

function offerAfter(...events: OfferEvent[]): Offer {
  const offer = events.reduce<Offer | undefined>((state, event) => offerAggregate.evolve(state, event), undefined);
  if (!offer) throw new Error('no events');
  return offer;
}
const fetched: OfferEvent = { type: 'OfferFetched', fetchedAt: fetchedAt.toISOString() };
const open = offerAfter(...createOffer(terms), fetched);
const secured = offerAfter(...createOffer({ ...terms, transactionCode }), fetched);
const redeemed = offerAfter(...createOffer(terms), { type: 'OfferRedeemed', redeemedAt: now.toISOString(), granted });

describe('an offer', () => {
  it('is redeemed once', () => {
    const { events, refusal } = redeemOffer(open, { transactionCode: 'absent', requestHash, granted, fetchedAt, now });
    expect(refusal).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['OfferRedeemed']);
    expect(redeemOffer(redeemed, { transactionCode: 'absent', requestHash, granted, fetchedAt, now })).toEqual({
      events: [],
      refusal: 'not-open',
    });
  });

  it('records its first fetch with the redemption, or with the wrong code that comes before', () => {
    const given = { requestHash, granted, fetchedAt, now };
    const typesOf = (offer: Offer, transactionCode: 'absent' | 'differs'): unknown =>
      redeemOffer(offer, { transactionCode, ...given }).events.map(({ type }) => type);
    const unfetched = offerAfter(...createOffer(terms));
    expect(typesOf(unfetched, 'absent')).toEqual(['OfferFetched', 'OfferRedeemed']);
    expect(redeemOffer(unfetched, { transactionCode: 'absent', ...given }).events[0]).toEqual(fetched);
    const unfetchedSecured = offerAfter(...createOffer({ ...terms, transactionCode }));
    expect(typesOf(unfetchedSecured, 'differs')).toEqual(['OfferFetched', 'TransactionCodeRefused']);
    expect(typesOf(unfetchedSecured, 'absent')).toEqual([]);
  });

  it('that is public is not changed by a redemption', () => {
    const offer = offerAfter(...createOffer({ ...terms, isPublic: true }));
    const { events } = redeemOffer(offer, { transactionCode: 'absent', requestHash, granted, fetchedAt, now });
    expect(events.map(({ type }) => type)).toEqual(['OfferRedeemed']);
  });

  it('expires by the clock alone', () => {
    expect(publicState(open, later)).toBe('Expired');
    // From the very moment it names.
    expect(publicState(open, new Date(terms.expiresAt))).toBe('Expired');
    expect(publicState(open, new Date(Date.parse(terms.expiresAt) - 1))).toBe('Open');
    expect(redeemOffer(open, { transactionCode: 'absent', requestHash, granted, fetchedAt, now: later }).refusal).toBe(
      'not-open',
    );
  });

  it('has its expiry recorded once, by then and never before, unless it was accepted or withdrawn', () => {
    const record = { type: 'OfferExpired', expiresAt: terms.expiresAt } as const;
    expect(expireOffer(open, later)).toEqual([record]);
    expect(expireOffer(open, new Date(Date.parse(terms.expiresAt) - 1))).toEqual([]);
    const expired = offerAfter(...createOffer(terms), record);
    expect(expireOffer(expired, later)).toEqual([]);
    expect(publicState(expired, later)).toBe('Expired');
    expect(redeemOffer(expired, { transactionCode: 'absent', requestHash, granted, fetchedAt, now }).refusal).toBe(
      'not-open',
    );
    expect(expireOffer(redeemed, later)).toEqual([]);
    expect(expireOffer(offerAfter(...createOffer(terms), ...withdrawOffer(open)), later)).toEqual([]);
    expect(withdrawOffer(expired)).toEqual([{ type: 'OfferWithdrawn' }]);
  });

  it('that is public cannot be taken online or offline once it has expired, recorded or not', () => {
    const shown = offerAfter(...createOffer({ ...terms, isPublic: true }));
    const recorded = offerAfter(...createOffer({ ...terms, isPublic: true }), ...expireOffer(shown, later));
    for (const offer of [shown, recorded]) {
      expect(() => takeOffline(offer, later)).toThrow('The offer 001 is Expired: create another offer.');
      expect(() => takeOnline(offer, later)).toThrow('The offer 001 is Expired: create another offer.');
    }
    expect(takeOffline(shown, now)).toEqual([{ type: 'OfferTakenOffline' }]);
    expect(takeOnline(shown, now)).toEqual([]);
  });

  it.each([
    ['a missing transaction code', secured, 'absent', 'transaction-code-missing', 0],
    ['an unexpected transaction code', open, 'differs', 'transaction-code-unexpected', 0],
    ['a wrong transaction code', secured, 'differs', 'transaction-code-wrong', 1],
  ] as const)('refuses %s', (_name, offer, code, refusal, marks) => {
    const decided = redeemOffer(offer, { transactionCode: code, requestHash, granted, fetchedAt, now });
    expect(decided.refusal).toBe(refusal);
    expect(decided.events).toHaveLength(marks);
  });

  it('locks after five wrong transaction codes, and the right one is refused from then on', () => {
    let offer = secured;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(publicState(offer, now)).toBe('Open');
      const { events } = redeemOffer(offer, { transactionCode: 'differs', requestHash, granted, fetchedAt, now });
      offer = events.reduce((state, event) => offerAggregate.evolve(state, event), offer);
    }
    expect(publicState(offer, now)).toBe('Locked');
    expect(redeemOffer(offer, { transactionCode: 'matches', requestHash, granted, fetchedAt, now }).refusal).toBe(
      'not-open',
    );
  });

  it('is not taken up before the data of everything it promises is there', () => {
    const credentials = [...terms.credentials, { configurationId: 'badge' }];
    const incomplete = offerAfter(...createOffer({ ...terms, credentials }));
    expect(redeemOffer(incomplete, { transactionCode: 'absent', requestHash, granted, fetchedAt, now }).refusal).toBe(
      'not-open',
    );
    const { events } = attachCredential(incomplete, { configurationId: 'badge', chosenId: 'c2', newId: 'new' }, now);
    const complete = events.reduce((state, event) => offerAggregate.evolve(state, event), incomplete);
    expect(
      redeemOffer(complete, { transactionCode: 'absent', requestHash, granted, fetchedAt, now }).refusal,
    ).toBeUndefined();
  });

  it('grants only what it offers', () => {
    const wider = { configurationIds: ['diploma', 'passport'], identifiersGiven: true };
    expect(redeemOffer(open, { transactionCode: 'absent', requestHash, granted: wider, fetchedAt, now })).toEqual({
      events: [],
      refusal: 'configuration-not-offered',
    });
  });

  it('grants only what it offers to an authorization, too', () => {
    const offer = offerAfter(...createOffer({ ...terms, byAuthorization }));
    const asked = { by, fetchedAt: undefined, now };
    expect(redeemByAuthorization(offer, { ...asked, granted }).events.map(({ type }) => type)).toEqual([
      'OfferRedeemed',
    ]);
    const wider = { configurationIds: ['diploma', 'passport'], identifiersGiven: true };
    expect(redeemByAuthorization(offer, { ...asked, granted: wider })).toEqual({
      events: [],
      refusal: 'configuration-not-offered',
    });
  });

  it('is taken up by the grants that it has, and by no other', () => {
    const notOpen = { events: [], refusal: 'not-open' };
    const code = { transactionCode: 'absent', requestHash, granted, fetchedAt, now } as const;
    const authorized = { by, granted, fetchedAt: undefined, now };
    expect(redeemByAuthorization(open, authorized)).toEqual(notOpen);
    expect(checkConsent(open, 'absent', now)).toEqual(notOpen);
    const alone = offerAfter(...createOffer({ ...terms, byAuthorization }));
    expect(redeemOffer(alone, code)).toEqual(notOpen);
    expect(checkConsent(alone, 'absent', now)).toEqual({ events: [] });
    const both = offerAfter(
      ...createOffer({ ...terms, byAuthorization: { ...byAuthorization, orPreAuthorized: true } }),
    );
    expect(redeemOffer(both, code).refusal).toBeUndefined();
    expect(redeemByAuthorization(both, authorized).refusal).toBeUndefined();
  });

  it('keeps a denial once for each configuration and reason, and stays what it was', () => {
    const deny = (offer: Offer, reason: DenialReason, ...ids: string[]): OfferEvent[] =>
      denyCredentials(
        offer,
        ids.map((configurationId) => ({ configurationId, reason })),
      );
    const first = deny(redeemed, 'template-archived', 'diploma', 'diploma');
    expect(first).toEqual([
      { type: 'CredentialRequestDenied', configurationId: 'diploma', reason: 'template-archived' },
    ]);
    const denied = first.reduce((state, event) => offerAggregate.evolve(state, event), redeemed);
    expect(publicState(denied, now)).toBe('Redeemed');
    expect(deny(denied, 'template-archived', 'diploma')).toEqual([]);
    expect(deny(denied, 'template-archived', 'badge')).toHaveLength(1);
    expect(deny(denied, 'template-deleted', 'diploma')).toHaveLength(1);
  });

  it('is withdrawn while it is open; a redeemed one is not', () => {
    expect(withdrawOffer(open)).toEqual([{ type: 'OfferWithdrawn' }]);
    expect(() => withdrawOffer(redeemed)).toThrow('redeemed');
  });
});
