import { createOffer, type NewOffer, type Offer, offerAggregate, type OfferEvent } from './offer';
import { mostWrongTransactionCodes } from './offer-redemption';
import { loseAnswer, repeatAnswer } from './repeated-answer';

const redeemedAt = new Date('2026-11-20T10:00:00Z');
const after = (seconds: number): Date => new Date(redeemedAt.getTime() + seconds * 1000);
const terms: NewOffer = {
  offerId: '001',
  handleSalt: 'c2FsdA',
  expiresAt: '2026-11-21T10:00:00.000Z',
  extendableUntil: '2026-11-21T10:00:00.000Z',
  credentials: [{ configurationId: 'diploma', credentialId: 'c1' }],
};
const redemption: OfferEvent = {
  type: 'OfferRedeemed',
  redeemedAt: redeemedAt.toISOString(),
  granted: { configurationIds: ['diploma'], identifiersGiven: false },
  requestHash: 'h',
};
const at = (seconds: number) => ({
  requestHash: 'h',
  transactionCode: 'absent' as const,
  arrivedAt: after(seconds),
  now: after(seconds),
});

function offerAfter(...events: OfferEvent[]): Offer {
  const offer = events.reduce<Offer | undefined>((state, event) => offerAggregate.evolve(state, event), undefined);
  if (!offer) throw new Error('no events');
  return offer;
}
const created = createOffer(terms);
const redeemed = offerAfter(...created, redemption);
const lost = offerAfter(...created, redemption, ...loseAnswer(redeemed));

describe('the answer to a redemption', () => {
  it.each([10, 30, 59.9])('is given again to the same request after %d s', (seconds) => {
    const { events, refusal } = repeatAnswer(redeemed, at(seconds));
    expect(refusal).toBeUndefined();
    expect(events).toEqual([{ type: 'TokenAnswerRepeated', answeredAt: after(seconds).toISOString() }]);
  });

  it('is given again at once when it is known to be lost, and then not at once', () => {
    const { events, refusal } = repeatAnswer(lost, at(0.1));
    expect(refusal).toBeUndefined();
    expect(loseAnswer(lost)).toEqual([]);
    const repeated = offerAfter(...created, redemption, ...loseAnswer(redeemed), ...events);
    expect(repeatAnswer(repeated, at(0.2)).refusal).toBe('not-open');
    expect(repeatAnswer(repeated, at(10.1)).refusal).toBeUndefined();
  });

  it.each([
    ['a replay', redeemed, at(1)],
    ['a request that came before the redemption and waited long', redeemed, { ...at(20), arrivedAt: after(-1) }],
    ['a minute later', lost, at(60)],
    ['another request', lost, { ...at(20), requestHash: 'i' }],
    ['an unexpected transaction code', lost, { ...at(20), transactionCode: 'differs' as const }],
    ['an offer that an authorization used up', offerAfter(...created, withoutHash()), { ...at(20), requestHash: '' }],
    ['an offer that is open', offerAfter(...created), at(20)],
  ])('is not given for %s', (_what, offer, request) => {
    expect(repeatAnswer(offer, request)).toEqual({ events: [], refusal: 'not-open' });
  });

  it('is given three times more at most', () => {
    let offer = redeemed;
    const answers: unknown[] = [];
    for (let seconds = 10; seconds < 60; seconds += 11) {
      const { events, refusal } = repeatAnswer(offer, at(seconds));
      answers.push(refusal);
      offer = events.reduce<Offer>((state, event) => offerAggregate.evolve(state, event), offer);
    }
    expect(answers).toEqual([undefined, undefined, undefined, 'not-open', 'not-open']);
  });

  it('needs the transaction code again, of which five wrong ones are the most', () => {
    const code = { digest: 'd', inputMode: 'numeric', length: 6 } as const;
    let offer = offerAfter(...createOffer({ ...terms, transactionCode: code }), redemption);
    expect(repeatAnswer(offer, at(20)).refusal).toBe('not-open');
    expect(repeatAnswer(offer, { ...at(20), transactionCode: 'matches' }).refusal).toBeUndefined();
    for (let guess = 0; guess < mostWrongTransactionCodes; guess++) {
      const wrong = repeatAnswer(offer, { ...at(20), transactionCode: 'differs' });
      expect(wrong.refusal).toBe('transaction-code-wrong');
      offer = wrong.events.reduce<Offer>((state, event) => offerAggregate.evolve(state, event), offer);
    }
    for (const transactionCode of ['differs', 'matches'] as const) {
      expect(repeatAnswer(offer, { ...at(20), transactionCode })).toEqual({ events: [], refusal: 'not-open' });
    }
  });
});

function withoutHash(): OfferEvent {
  const { requestHash: _hash, ...earlier } = redemption as Extract<OfferEvent, { type: 'OfferRedeemed' }>;
  return earlier;
}
