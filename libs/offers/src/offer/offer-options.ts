import { Problem } from '@app/primitives/problems';
import { type Offer, type OfferEvent, type OfferOptions, publicState } from './offer';

const changeable = 'lifetime, transaction code, grants and recipient';

/** Sets the options of an offer that no wallet has fetched: what a wallet was shown does not change. */
export function setOptions(offer: Offer, options: OfferOptions, now: Date): OfferEvent[] {
  const { offerId, extendableUntil } = offer;
  const { expiresAt: asked, transactionCode, byAuthorization, sealedRecipient } = options;
  const setsTerms = asked !== undefined || transactionCode !== undefined || byAuthorization !== undefined;
  if (!setsTerms && sealedRecipient === undefined) return [];
  const state = publicState(offer, now);
  if (state !== 'Open' && state !== 'Online') {
    throw new Problem('conflict', `The offer ${offerId} is ${state}; ${changeable} cannot be changed.`);
  }
  if (offer.isPublic && sealedRecipient !== undefined) {
    throw new Problem(
      'conflict',
      `The offer ${offerId} is public: it is for nobody in particular. Leave recipient out.`,
    );
  }
  if (offer.isFetched && setsTerms) {
    throw new Problem(
      'conflict',
      `A wallet has fetched the offer ${offerId}; lifetime, transaction code and grants cannot be changed. Withdraw it and create another offer.`,
    );
  }
  if (offer.isPublic && transactionCode) {
    throw new Problem('conflict', `The offer ${offerId} is public: no wallet would know its transaction code.`);
  }
  if (offer.isPublic && (byAuthorization || (byAuthorization === null && offer.byAuthorization))) {
    throw new Problem('conflict', `The offer ${offerId} is public: its grants are those with which it was created.`);
  }
  if (asked !== undefined && Date.parse(asked) > Date.parse(extendableUntil)) {
    throw new Problem('conflict', `The offer ${offerId} can be open until ${extendableUntil} at the latest.`);
  }
  return [{ type: 'OfferOptionsSet', ...options }];
}
