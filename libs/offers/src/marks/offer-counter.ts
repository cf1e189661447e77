import type { EventCounter } from '@app/observability';
import { type Offer, offerAggregate, type OfferEvent } from '../offer/offer';

const outcomes = [
  'created',
  'fetched',
  'redeemed',
  'answer_lost',
  'answer_repeated',
  'wrong_transaction_code',
  'locked',
  'expired',
  'withdrawn',
  'taken_offline',
  'taken_online',
  'reopened',
  'sent',
  'sending_failed',
  'credential_denied',
] as const;

/** `null`: counts as nothing. */
const outcomeOf: Readonly<Record<OfferEvent['type'], (typeof outcomes)[number] | null>> = {
  OfferCreated: 'created',
  CredentialAttached: null,
  CredentialAwaited: null,
  OfferOptionsSet: null,
  TransactionCodeRefused: 'wrong_transaction_code',
  OfferLocked: 'locked',
  OfferExpired: 'expired',
  OfferRedeemed: 'redeemed',
  TokenAnswerLost: 'answer_lost',
  TokenAnswerRepeated: 'answer_repeated',
  OfferWithdrawn: 'withdrawn',
  OfferTakenOffline: 'taken_offline',
  OfferTakenOnline: 'taken_online',
  OfferReopened: 'reopened',
  OfferFetched: 'fetched',
  OfferFetchedWithoutData: null,
  PersonalDataErased: null,
  OfferSent: 'sent',
  SendingFailed: 'sending_failed',
  CredentialRequestDenied: 'credential_denied',
  WalletRefused: null,
};

/** A token request that was refused; the one outcome that leaves no event. */
export const redemptionRefused = { outcome: 'refused' } as const;

export const offerCounter: EventCounter = {
  category: offerAggregate.category,
  name: 'offers_total',
  help: 'Events of offers; refused: rejected token requests',
  series: [...outcomes.map((outcome) => ({ outcome })), redemptionRefused],
  seriesOf: (eventType, state) => {
    const outcome = outcomeOf[eventType as OfferEvent['type']];
    // The claim of a public offer is made when a wallet accepts the offer, so it does not count as created.
    if (outcome === null || (outcome === 'created' && (state as Offer).claimOf !== undefined)) return undefined;
    return { outcome };
  },
};
