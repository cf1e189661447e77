import type { Granted } from './grant';
import { hasGrant } from './offer-grants';
import { isTakeable, type Offer, type OfferEvent, type Redeemer } from './offer';
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

export type ConsentRefusal = Extract<
  RedemptionRefusal,
  'not-open' | 'transaction-code-missing' | 'transaction-code-wrong'
>;

/**
 * Decides a redemption. A wrong transaction code is refused and leaves its mark; the last one locks the offer. The first
 * fetch is recorded with either; a public offer is not changed by a redemption.
 */
export function redeemOffer(
  offer: Offer,
  attempt: Redemption,
): { readonly events: OfferEvent[]; readonly refusal?: RedemptionRefusal } {
  if (!isTakeable(offer, attempt.now) || !hasGrant(offer, 'pre-authorized_code'))
    return { events: [], refusal: 'not-open' };
  if (!offersAll(offer, attempt.granted)) return { events: [], refusal: 'configuration-not-offered' };
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

export interface AuthorizedRedemption {
  readonly by: Redeemer;
  readonly granted: Granted;
  /** When a wallet fetched the offer, where that is known and not recorded yet. */
  readonly fetchedAt: Date | undefined;
  readonly now: Date;
}

/** Decides the redemption by an authorization code. The person entered the transaction code before they agreed. */
export function redeemByAuthorization(
  offer: Offer,
  { by, granted, fetchedAt, now }: AuthorizedRedemption,
): {
  readonly events: OfferEvent[];
  readonly refusal?: Extract<RedemptionRefusal, 'not-open' | 'configuration-not-offered'>;
} {
  if (!isTakeable(offer, now) || !hasGrant(offer, 'authorization_code')) return { events: [], refusal: 'not-open' };
  if (!offersAll(offer, granted)) return { events: [], refusal: 'configuration-not-offered' };
  const fetched = fetchedAt && !offer.isPublic ? fetchOffer(offer, fetchedAt) : [];
  return { events: [...fetched, { type: 'OfferRedeemed', redeemedAt: now.toISOString(), granted, by }] };
}

/** Decides whether the person who agrees knows the transaction code; a wrong one counts. */
export function checkConsent(
  offer: Offer,
  transactionCode: Redemption['transactionCode'],
  now: Date,
): { readonly events: OfferEvent[]; readonly refusal?: ConsentRefusal } {
  if (!isTakeable(offer, now) || !hasGrant(offer, 'authorization_code')) return { events: [], refusal: 'not-open' };
  if (!offer.transactionCode) return { events: [] };
  if (transactionCode === 'absent') return { events: [], refusal: 'transaction-code-missing' };
  return transactionCode === 'differs'
    ? { events: wrongCode(offer), refusal: 'transaction-code-wrong' }
    : { events: [] };
}

/** How many wrong transaction codes an offer takes yet; `undefined` before the first one. */
export function triesLeftIn({ wrongTransactionCodes }: Offer): number | undefined {
  return wrongTransactionCodes === 0 ? undefined : Math.max(0, mostWrongTransactionCodes - wrongTransactionCodes);
}

/** How many it takes after a wrong one that it refuses now: none, when that one locks it. */
export function triesLeftAfterWrong({ wrongTransactionCodes }: Offer): number {
  return Math.max(0, mostWrongTransactionCodes - wrongTransactionCodes - 1);
}

function offersAll(offer: Offer, { configurationIds }: Granted): boolean {
  const offered = new Set(offer.credentials.map(({ configurationId }) => configurationId));
  return configurationIds.every((id) => offered.has(id));
}

function wrongCode(offer: Offer): OfferEvent[] {
  const refused: OfferEvent = { type: 'TransactionCodeRefused' };
  return offer.wrongTransactionCodes + 1 >= mostWrongTransactionCodes ? [refused, { type: 'OfferLocked' }] : [refused];
}
