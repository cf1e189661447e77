import type { Publication } from '@app/event-store';
import { offerAggregate, type OfferEvent, type PublicState } from '../offer/offer';

export const offerPublication: Publication<OfferEvent> = {
  category: offerAggregate.category,
  resources: 'offers',
  types: {
    OfferCreated: null,
    CredentialAttached: null,
    CredentialAwaited: null,
    OfferOptionsSet: null,
    TransactionCodeRefused: null,
    OfferLocked: 'offer.locked',
    OfferExpired: 'offer.expired',
    OfferRedeemed: 'offer.redeemed',
    TokenAnswerLost: null,
    TokenAnswerRepeated: null,
    OfferWithdrawn: null,
    OfferTakenOffline: null,
    OfferTakenOnline: null,
    OfferReopened: null,
    OfferFetched: 'offer.fetched',
    OfferFetchedWithoutData: null,
    OfferSent: null,
    SendingFailed: null,
    CredentialRequestDenied: null,
    WalletRefused: null,
    PersonalDataErased: null,
  },
  data: ({ id, event, terms }) => ({ offerId: id, ...terms, ...outcomeOf(event) }),
  time: (event) => {
    if (event.type === 'OfferExpired') return event.expiresAt;
    return event.type === 'OfferFetched' ? event.fetchedAt : undefined;
  },
};

/** A fetch changes no state, and may be recorded after what changed it. */
function outcomeOf(event: OfferEvent): { state?: PublicState; credentialConfigurationIds?: readonly string[] } {
  if (event.type === 'OfferRedeemed') {
    return { state: 'Redeemed', credentialConfigurationIds: event.granted.configurationIds };
  }
  if (event.type === 'OfferExpired') return { state: 'Expired' };
  return event.type === 'OfferLocked' ? { state: 'Locked' } : {};
}
