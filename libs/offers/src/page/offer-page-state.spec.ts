import { isFinalState, offerPageState } from './offer-page-state';
import type { Offer } from '../offer/offer';
import type { CredentialStanding } from '../offer/offer-reopening';

const now = new Date('2026-11-20T12:00:00Z');
const configurationIds = ['membership', 'licence'];
const open: Offer = {
  status: 'open',
  offerId: 'order-4711',
  handleSalt: 'salt',
  expiresAt: '2026-11-21T12:00:00Z',
  extendableUntil: '2026-11-21T12:00:00Z',
  credentials: configurationIds.map((configurationId) => ({ configurationId, credentialId: `${configurationId}-1` })),
  wrongTransactionCodes: 0,
};
const redeemed: Offer = {
  ...open,
  status: 'redeemed',
  redeemedAt: '2026-11-20T11:59:00Z',
  granted: { configurationIds, identifiersGiven: false },
};
const state = (offer: Offer, standings: readonly CredentialStanding[] = [], isFetched = false) =>
  offerPageState(offer, { standings, isFetched, isAvailable: true, now });

describe('what a person sees of an offer', () => {
  it.each([
    ['waiting', { ...open, credentials: [] }],
    ['waiting', { ...open, credentials: [{ configurationId: 'membership' }] }],
    ['ready', open],
    ['ready', { ...open, isPublic: true, isFetched: true }],
    ['offline', { ...open, status: 'offline', isPublic: true }],
    ['locked', { ...open, status: 'locked' }],
    ['withdrawn', { ...open, status: 'withdrawn' }],
    ['expired', { ...open, status: 'expired' }],
    ['expired', { ...open, expiresAt: now.toISOString() }],
  ] as [string, Offer][])('is %s', (expected, offer) => {
    expect(state(offer)).toBe(expected);
  });

  it('is offline while none of its credentials is issued', () => {
    const unavailable = { standings: [], isFetched: true, isAvailable: false, now };
    for (const offer of [open, { ...open, isPublic: true as const }]) {
      expect(offerPageState(offer, unavailable)).toBe('offline');
    }
    expect(offerPageState({ ...open, status: 'expired' }, unavailable)).toBe('expired');
  });

  it('is fetched when a wallet has opened it, also before that is recorded', () => {
    expect(state(open, [], true)).toBe('fetched');
  });

  it.each([
    ['redeemed', ['prepared', 'prepared']],
    ['redeemed', ['issued', 'prepared']],
    ['issued', ['issued', 'accepted']],
    ['accepted', ['accepted', 'accepted']],
    ['revoked', ['accepted', 'revoked']],
    ['revoked', ['suspended', 'revoked']],
    ['suspended', ['issued', 'suspended']],
    ['refused', ['accepted', 'deleted']],
    ['refused', ['deleted', 'deleted']],
    ['refused', ['accepted', 'refused']],
    ['deferred', ['issued', 'requested']],
    ['denied', ['issued', 'denied']],
    ['denied', ['prepared', 'erased']],
  ] as [string, CredentialStanding[]][])('is %s when its credentials are %j', (expected, standings) => {
    expect(state(redeemed, standings)).toBe(expected);
  });

  it('is denied when the wallet was, until a credential was issued after all', () => {
    const denied: Offer = { ...redeemed, denials: [{ configurationId: 'membership', reason: 'template-archived' }] };
    expect(state(denied, ['prepared', 'prepared'])).toBe('denied');
    expect(state(denied, ['issued', 'issued'])).toBe('issued');
  });

  it('changes no more on an open page when it has come to its end', () => {
    const lasting = ['accepted', 'withdrawn', 'revoked', 'expired'] as const;
    const passing = ['locked', 'refused', 'issued', 'suspended'] as const;
    expect([lasting.filter(isFinalState), passing.filter(isFinalState)]).toEqual([[...lasting], []]);
  });
});
