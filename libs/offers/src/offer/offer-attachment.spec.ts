import { Problem } from '@app/primitives/problems';
import { createOffer, type NewOffer, type Offer, offerAggregate, type OfferEvent } from './offer';
import { attachCredential, awaitCredential } from './offer-attachment';

const now = new Date('2026-11-20T10:00:00Z');
const later = new Date('2026-11-22T10:00:00Z');
const terms: NewOffer = {
  offerId: '001',
  handleSalt: 'c2FsdA',
  expiresAt: '2026-11-21T10:00:00.000Z',
  extendableUntil: '2026-11-21T10:00:00.000Z',
  credentials: [{ configurationId: 'diploma' }],
};
const granted = { configurationIds: ['diploma'], identifiersGiven: false };
const redemption: OfferEvent = { type: 'OfferRedeemed', redeemedAt: now.toISOString(), granted };

function offerAfter(...events: OfferEvent[]): Offer {
  const offer = events.reduce<Offer | undefined>((state, event) => offerAggregate.evolve(state, event), undefined);
  if (!offer) throw new Error('no events');
  return offer;
}
function attach(offer: Offer, configurationId: string, chosenId?: string, at = now) {
  return attachCredential(offer, { configurationId, chosenId, newId: 'new' }, at);
}
const open = offerAfter(...createOffer(terms));
const redeemed = offerAfter(...createOffer(terms), redemption);
const deferred = offerAfter(...createOffer({ ...terms, isDeferred: true }), redemption);
const awaiting = offerAfter(
  ...createOffer({ ...terms, isDeferred: true }),
  redemption,
  ...awaitCredential(deferred, 'diploma', 'awaited').events,
);

describe('an offer', () => {
  it('takes the data of a person for the configuration that waits for it, under the chosen id or a new one', () => {
    const { events, attached } = attach(open, 'diploma', 'c9');
    expect(attached).toEqual({ credentialId: 'c9', isAwaited: false });
    expect(offerAfter(...createOffer(terms), ...events).credentials).toEqual([
      { configurationId: 'diploma', credentialId: 'c9' },
    ]);
    expect(attach(open, 'badge').attached.credentialId).toBe('new');
  });

  it('refuses a second credential of one configuration, and any once it is no longer open', () => {
    const holding = offerAfter(...createOffer(terms), ...attach(open, 'diploma').events);
    expect(() => attach(holding, 'diploma', 'c2')).toThrow(Problem);
    expect(() => attach(redeemed, 'diploma', 'c2')).toThrow('Redeemed');
    expect(() => attach(open, 'badge', 'c2', later)).toThrow('Expired');
  });
});

describe('a deferred offer that was redeemed', () => {
  it('takes the data of what it promised, and nothing else', () => {
    expect(attach(deferred, 'diploma', 'c9').attached).toEqual({ credentialId: 'c9', isAwaited: false });
    expect(() => attach(deferred, 'badge')).toThrow('Redeemed');
  });

  it('has a wallet wait for one credential, whichever request came first', () => {
    expect(awaitCredential(awaiting, 'diploma', 'other')).toEqual({ events: [], credentialId: 'awaited' });
    const submitted = offerAfter(
      ...createOffer({ ...terms, isDeferred: true }),
      redemption,
      ...attach(deferred, 'diploma', 'c9').events,
    );
    expect(awaitCredential(submitted, 'diploma', 'other')).toEqual({ events: [], credentialId: 'c9' });
  });

  it('takes the data of a credential that a wallet waits for under its id alone, and once', () => {
    const { events, attached } = attach(awaiting, 'diploma');
    expect(attached).toEqual({ credentialId: 'awaited', isAwaited: true });
    expect(attach(awaiting, 'diploma', 'awaited').attached).toEqual(attached);
    expect(() => attach(awaiting, 'diploma', 'c9')).toThrow('its id is awaited');
    const complete = events.reduce((state, event) => offerAggregate.evolve(state, event), awaiting);
    expect(() => attach(complete, 'diploma')).toThrow('already holds');
  });

  it('keeps what a wallet waits for when it gets a new link', () => {
    const reopening = { handleSalt: 'bmV1', expiresAt: terms.expiresAt, extendableUntil: terms.expiresAt };
    const reopened = offerAggregate.evolve(awaiting, { type: 'OfferReopened', ...reopening });
    expect(reopened).toMatchObject({ isDeferred: true, credentials: [{ credentialId: 'awaited', isAwaited: true }] });
    expect(awaitCredential(reopened, 'diploma', 'other').credentialId).toBeUndefined();
    expect(attach(reopened, 'diploma').attached.credentialId).toBe('awaited');
  });
});

describe('an offer that is not deferred', () => {
  it('has no wallet wait', () => {
    expect(awaitCredential(redeemed, 'diploma', 'other').credentialId).toBeUndefined();
  });
});
