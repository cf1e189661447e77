import { Problem } from '@app/problem-details';
import type { Offer, OfferEvent } from './offer';

/** A public offer rests until it is taken online again; nothing happens when it rests already. */
export function takeOffline(offer: Offer): OfferEvent[] {
  requirePublic(offer);
  return offer.status === 'open' ? [{ type: 'OfferTakenOffline' }] : resting(offer, 'offline');
}

export function takeOnline(offer: Offer): OfferEvent[] {
  requirePublic(offer);
  return offer.status === 'offline' ? [{ type: 'OfferTakenOnline' }] : resting(offer, 'open');
}

function resting(offer: Offer, wanted: Offer['status']): OfferEvent[] {
  if (offer.status === wanted) return [];
  throw new Problem('conflict', `The offer ${offer.offerId} was withdrawn.`);
}

function requirePublic(offer: Offer): void {
  if (!offer.isPublic) throw new Problem('conflict', `The offer ${offer.offerId} is not public.`);
}
