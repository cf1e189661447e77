import { Problem } from '@app/primitives/problems';
import { createOffer, type NewOffer, type Offer, offerAggregate, type OfferEvent } from './offer';
import { setOptions } from './offer-options';

const now = new Date('2026-11-20T10:00:00Z');
const terms: NewOffer = {
  offerId: '001',
  handleSalt: 'c2FsdA',
  expiresAt: '2026-11-21T10:00:00.000Z',
  extendableUntil: '2027-02-19T10:00:00.000Z',
  credentials: [{ configurationId: 'diploma', credentialId: 'c1' }],
};
const transactionCode = { digest: 'd', inputMode: 'numeric', length: 6 } as const;
const later = { expiresAt: '2027-02-18T10:00:00.000Z' };

function after(first: NewOffer, ...events: OfferEvent[]): Offer {
  const all = [...createOffer(first), ...events];
  const offer = all.reduce<Offer | undefined>((state, event) => offerAggregate.evolve(state, event), undefined);
  if (!offer) throw new Error('no events');
  return offer;
}

describe('the options of an offer', () => {
  it('are set until a wallet has fetched it, also again', () => {
    const set = setOptions(after(terms), { ...later, transactionCode }, now);
    const once = after(terms, ...set);
    expect(once).toMatchObject({ ...later, transactionCode, credentials: terms.credentials });
    const other = { ...transactionCode, digest: 'e' };
    const twice = after(terms, ...set, ...setOptions(once, { transactionCode: other }, now));
    expect(twice).toMatchObject({ ...later, transactionCode: other });
  });

  it('are no event when nothing is said', () => {
    expect(setOptions(after(terms), {}, now)).toEqual([]);
    expect(setOptions(after(terms, { type: 'OfferWithdrawn' }), {}, now)).toEqual([]);
  });

  it.each<[string, Offer, Parameters<typeof setOptions>[1]]>([
    [
      'has fetched the offer',
      after(terms, { type: 'OfferFetched', fetchedAt: now.toISOString() }),
      { transactionCode },
    ],
    ['is Withdrawn', after(terms, { type: 'OfferWithdrawn' }), { transactionCode }],
    ['is Expired', after({ ...terms, expiresAt: '2026-11-20T09:00:00.000Z' }), later],
    ['is public', after({ ...terms, isPublic: true }), { transactionCode }],
    ['can be open until 2027-02-19', after(terms), { expiresAt: '2027-02-20T10:00:00.000Z' }],
  ])('stay as they are when the offer %s', (reason, offer, options) => {
    const setting = (): unknown => setOptions(offer, options, now);
    expect(setting).toThrow(Problem);
    expect(setting).toThrow(reason);
  });

  it('are set of a public offer as well, but for the transaction code', () => {
    expect(setOptions(after({ ...terms, isPublic: true }), later, now)).toHaveLength(1);
  });
});
