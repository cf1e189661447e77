import { Problem } from '@app/problem-details';
import type { Offer, OfferEvent } from './offer';

/** Suspends a public offer until it is resumed; does nothing when it is suspended already. */
export function takeOffline(offer: Offer): OfferEvent[] {
  requirePublic(offer);
  return offer.status === 'open' ? [{ type: 'OfferTakenOffline' }] : unchanged(offer, 'offline');
}

export function takeOnline(offer: Offer): OfferEvent[] {
  requirePublic(offer);
  return offer.status === 'offline' ? [{ type: 'OfferTakenOnline' }] : unchanged(offer, 'open');
}

function unchanged(offer: Offer, wanted: Offer['status']): OfferEvent[] {
  if (offer.status === wanted) return [];
  throw new Problem('conflict', `The offer ${offer.offerId} was withdrawn.`);
}

function requirePublic(offer: Offer): void {
  if (!offer.isPublic) throw new Problem('conflict', `The offer ${offer.offerId} is not public.`);
}
