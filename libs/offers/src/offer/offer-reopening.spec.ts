import { createOffer, type NewOffer, type Offer, offerAggregate, type OfferEvent } from './offer';
import { reopenOffer } from './offer-reopening';

const now = new Date('2026-11-20T10:00:00Z');
const later = new Date('2026-11-22T10:00:00Z');
const transactionCode = { digest: 'd', inputMode: 'numeric', length: 6 } as const;
const terms: NewOffer = {
  offerId: '001',
  handleSalt: 'first',
  expiresAt: '2026-11-21T10:00:00.000Z',
  extendableUntil: '2026-11-21T10:00:00.000Z',
  credentials: [{ configurationId: 'diploma', credentialId: 'c1' }],
  transactionCode,
};
const granted = { configurationIds: ['diploma'], identifiersGiven: false };
const asked = {
  handleSalt: 'second',
  expiresAt: '2026-11-23T10:00:00.000Z',
  extendableUntil: '2027-02-21T10:00:00.000Z',
  transactionCode: undefined,
  by: 'key:k1',
};

function offerAfter(...events: OfferEvent[]): Offer {
  const offer = events.reduce<Offer | undefined>((state, event) => offerAggregate.evolve(state, event), undefined);
  if (!offer) throw new Error('no events');
  return offer;
}
const created = createOffer(terms);
const open = offerAfter(...created);
const redeemed = offerAfter(...created, { type: 'OfferRedeemed', redeemedAt: now.toISOString(), granted });
const locked = offerAfter(...created, { type: 'TransactionCodeRefused' }, { type: 'OfferLocked' });

describe('an offer that came to nothing', () => {
  it.each([
    ['redeemed by a wallet that got nothing', redeemed, now],
    ['locked', locked, now],
    ['expired', open, later],
  ])('is reopened: %s', (_what, offer, at) => {
    const [event] = reopenOffer(offer, asked, ['prepared'], at);
    expect(event).toMatchObject({ type: 'OfferReopened', by: 'key:k1' });
    const reopened = event && offerAggregate.evolve(offer, event);
    expect(reopened).toEqual({
      status: 'open',
      offerId: '001',
      handleSalt: 'second',
      expiresAt: asked.expiresAt,
      extendableUntil: asked.extendableUntil,
      credentials: terms.credentials,
      // The digest of the code was made with the salt of the first link.
      transactionCode: { ...transactionCode, salt: 'first' },
      wrongTransactionCodes: 0,
    });
  });

  it('keeps the code through a second reopening, and takes a new one when there is one', () => {
    const twice = [...reopenOffer(locked, asked, ['prepared'], now)].reduce<Offer>(
      (state, event) => offerAggregate.evolve(state, event),
      locked,
    );
    const again = { ...asked, handleSalt: 'third' };
    const expired = new Date(asked.expiresAt);
    expect(reopenOffer(twice, again, ['prepared'], expired)).toMatchObject([{ transactionCode: { salt: 'first' } }]);
    const fresh = { ...transactionCode, digest: 'e' };
    expect(reopenOffer(twice, { ...again, transactionCode: fresh }, ['prepared'], expired)).toMatchObject([
      { transactionCode: fresh },
    ]);
  });
});

describe('an offer is not reopened', () => {
  const { transactionCode: _code, ...unguarded } = terms;
  it.each([
    ['has issued a credential', redeemed, ['prepared', 'issued'], now],
    ['personal data was erased', redeemed, ['erased'], now],
    ['is open', open, ['prepared'], now],
    ['was withdrawn', offerAfter(...created, { type: 'OfferWithdrawn' }), ['prepared'], now],
    ['is public', offerAfter(...createOffer({ ...unguarded, isPublic: true })), [], later],
    ['accepted the public offer 002', offerAfter(...createOffer({ ...terms, claimOf: '002' })), ['prepared'], later],
  ] as const)('that %s', (reason, offer, standings, at) => {
    expect(() => reopenOffer(offer, asked, standings, at)).toThrow(reason);
  });
});
