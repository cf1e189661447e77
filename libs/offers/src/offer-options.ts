import { Problem } from '@app/problem-details';
import { type Offer, type OfferEvent, type OfferOptions, publicState } from './offer';

/** Sets the options of an offer that no wallet has fetched: what a wallet was shown does not change. */
export function setOptions(offer: Offer, options: OfferOptions, now: Date): OfferEvent[] {
  const { offerId, expiresAt, extendableUntil = expiresAt } = offer;
  if (options.expiresAt === undefined && !options.transactionCode) return [];
  const state = publicState(offer, now);
  if (state !== 'Open' && state !== 'Online') {
    throw new Problem('conflict', `The offer ${offerId} is ${state}; lifetime and transaction code cannot be changed.`);
  }
  if (offer.isFetched) {
    throw new Problem(
      'conflict',
      `A wallet has fetched the offer ${offerId}; lifetime and transaction code cannot be changed. Withdraw it and create another offer.`,
    );
  }
  if (offer.isPublic && options.transactionCode) {
    throw new Problem('conflict', `The offer ${offerId} is public: no wallet would know its transaction code.`);
  }
  if (options.expiresAt !== undefined && Date.parse(options.expiresAt) > Date.parse(extendableUntil)) {
    throw new Problem('conflict', `The offer ${offerId} can be open until ${extendableUntil} at the latest.`);
  }
  return [{ type: 'OfferOptionsSet', ...options }];
}
