import { Problem } from '@app/primitives/problems';
import { type Offer, type OfferEvent, publicState } from './offer';

/** Suspends a public offer until it is resumed; does nothing when it is suspended already. */
export function takeOffline(offer: Offer, now: Date): OfferEvent[] {
  return switchableState(offer, now) === 'Online' ? [{ type: 'OfferTakenOffline' }] : [];
}

export function takeOnline(offer: Offer, now: Date): OfferEvent[] {
  return switchableState(offer, now) === 'Offline' ? [{ type: 'OfferTakenOnline' }] : [];
}

function switchableState(offer: Offer, now: Date): 'Online' | 'Offline' {
  const { offerId, isPublic } = offer;
  if (!isPublic) throw new Problem('conflict', `The offer ${offerId} is not public.`);
  const state = publicState(offer, now);
  if (state !== 'Online' && state !== 'Offline') {
    throw new Problem('conflict', `The offer ${offerId} is ${state}: create another offer.`);
  }
  return state;
}
