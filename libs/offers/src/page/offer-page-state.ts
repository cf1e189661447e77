import type { OfferPageState } from '@app/pages';
import { awaitsData, type Offer, publicState } from '../offer/offer';
import { isIssued, type CredentialStanding } from '../offer/offer-reopening';

/**
 * What a person sees of an offer.
 * @param isFetched by a wallet, with the present link
 */
export function offerPageState(
  offer: Offer,
  {
    standings,
    isFetched,
    isAvailable,
    now,
  }: {
    readonly standings: readonly CredentialStanding[];
    readonly isFetched: boolean;
    /** Whether any of its credentials is issued at present: templates can be archived. */
    readonly isAvailable: boolean;
    readonly now: Date;
  },
): OfferPageState {
  switch (publicState(offer, now)) {
    case 'Open':
      if (awaitsData(offer, now)) return 'waiting';
      if (!isAvailable) return 'offline';
      return isFetched ? 'fetched' : 'ready';
    case 'Online':
      // Any number of people see this page.
      return isAvailable ? 'ready' : 'offline';
    case 'Offline':
      return 'offline';
    case 'Redeemed':
      return redeemedState(offer, standings);
    case 'Locked':
      return 'locked';
    case 'Withdrawn':
      return 'withdrawn';
    case 'Expired':
      return 'expired';
  }
}

/** Of several credentials, the one that the person has to know about first. */
function redeemedState({ credentials, denials = [] }: Offer, standings: readonly CredentialStanding[]): OfferPageState {
  const has = (standing: CredentialStanding): boolean => standings.includes(standing);
  // OpenID4VCI 1.0 §11.1: a wallet also reports a credential as deleted when the person declined it.
  if (has('refused') || has('deleted')) return 'refused';
  if (has('denied') || has('erased')) return 'denied';
  // Whatever the wallet holds, it is of no use then.
  if (has('revoked')) return 'revoked';
  if (has('suspended')) return 'suspended';
  if (standings.length === credentials.length && standings.every(isIssued))
    return has('issued') ? 'issued' : 'accepted';
  if (has('requested')) return 'deferred';
  return denials.length > 0 && !standings.some(isIssued) ? 'denied' : 'redeemed';
}

/** Whether an open page need not wait for another state. */
export function isFinalState(state: OfferPageState): boolean {
  switch (state) {
    // It may be revoked yet: whoever opens the page then reads that.
    case 'accepted':
    case 'withdrawn':
    case 'expired':
    case 'revoked':
      return true;
    case 'waiting':
    case 'ready':
    case 'fetched':
    case 'redeemed':
    case 'deferred':
    case 'issued':
    case 'refused':
    case 'denied':
    case 'locked':
    case 'offline':
    case 'suspended':
      return false;
  }
}

/** Whether the person can still bring the offer to a wallet. */
export function isOnOffer(state: OfferPageState): boolean {
  switch (state) {
    case 'ready':
    case 'fetched':
      return true;
    case 'waiting':
    case 'redeemed':
    case 'deferred':
    case 'issued':
    case 'accepted':
    case 'refused':
    case 'denied':
    case 'withdrawn':
    case 'locked':
    case 'offline':
    case 'expired':
    case 'revoked':
    case 'suspended':
      return false;
  }
}
