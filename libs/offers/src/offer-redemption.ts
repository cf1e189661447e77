import type { Granted } from '@app/grants';
import { isTakeable, type Offer, type OfferEvent } from './offer';
import { fetchOffer } from './offer-marks';

/** After so many wrong transaction codes the offer is locked permanently (OpenID4VCI 1.0 errata, guessing of tx_code). */
export const mostWrongTransactionCodes = 5;

export interface Redemption {
  readonly transactionCode: 'absent' | 'matches' | 'differs';
  readonly granted: Granted;
  readonly requestHash: string;
  /** When a wallet fetched the offer and got the code. */
  readonly fetchedAt: Date;
  readonly now: Date;
}

export type RedemptionRefusal =
  | 'not-open'
  | 'transaction-code-missing'
  | 'transaction-code-unexpected'
  | 'transaction-code-wrong'
  | 'configuration-not-offered';

/**
 * Decides a redemption. A wrong transaction code is refused and leaves its mark; the last one locks the offer. The first
 * fetch is recorded with either; a public offer is not changed by a redemption.
 */
export function redeemOffer(
  offer: Offer,
  attempt: Redemption,
): { readonly events: OfferEvent[]; readonly refusal?: RedemptionRefusal } {
  if (!isTakeable(offer, attempt.now)) return { events: [], refusal: 'not-open' };
  const offered = new Set(offer.credentials.map(({ configurationId }) => configurationId));
  if (!attempt.granted.configurationIds.every((id) => offered.has(id))) {
    return { events: [], refusal: 'configuration-not-offered' };
  }
  const fetched = offer.isPublic ? [] : fetchOffer(offer, attempt.fetchedAt);
  if (!offer.transactionCode) {
    if (attempt.transactionCode !== 'absent') return { events: [], refusal: 'transaction-code-unexpected' };
  } else {
    if (attempt.transactionCode === 'absent') return { events: [], refusal: 'transaction-code-missing' };
    if (attempt.transactionCode === 'differs') {
      return { events: [...fetched, ...wrongCode(offer)], refusal: 'transaction-code-wrong' };
    }
  }
  return {
    events: [
      ...fetched,
      {
        type: 'OfferRedeemed',
        redeemedAt: attempt.now.toISOString(),
        granted: attempt.granted,
        requestHash: attempt.requestHash,
      },
    ],
  };
}

function wrongCode(offer: Offer): OfferEvent[] {
  const refused: OfferEvent = { type: 'TransactionCodeRefused' };
  return offer.wrongTransactionCodes + 1 >= mostWrongTransactionCodes ? [refused, { type: 'OfferLocked' }] : [refused];
}
