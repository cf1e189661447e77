import type { Offer, OfferEvent } from './offer';
import { mostWrongTransactionCodes, type Redemption, type RedemptionRefusal } from './offer-redemption';

/** Milliseconds from the redemption. */
const repeatableFor = 60_000;
/**
 * Milliseconds from the last answer. Races for one code and replays of a used one come sooner than a wallet that waited
 * in vain for an answer.
 */
const quietTime = 10_000;
const mostRepeats = 3;

export interface RepeatedRequest extends Pick<Redemption, 'transactionCode' | 'now'> {
  /** Of code, client and configurations of the redemption. */
  readonly requestHash: string;
  /** When the request came in, before it waited for anything. */
  readonly arrivedAt: Date;
}

/**
 * Decides whether the answer to a redemption is given again: to the very same request, for a minute. It is not a
 * second redemption: the answer holds the same access token. The caller checks that the token was not used yet.
 */
export function repeatAnswer(
  offer: Offer,
  { requestHash, transactionCode, arrivedAt, now }: RepeatedRequest,
): { readonly events: OfferEvent[]; readonly refusal?: RedemptionRefusal } {
  if (offer.status !== 'redeemed' || offer.requestHash !== requestHash) return notOpen;
  const { redeemedAt, answeredAt = redeemedAt, answersRepeated = 0, wrongTransactionCodes } = offer;
  if (now.getTime() - Date.parse(redeemedAt) >= repeatableFor || answersRepeated >= mostRepeats) return notOpen;
  if (!offer.isAnswerLost && arrivedAt.getTime() - Date.parse(answeredAt) < quietTime) return notOpen;
  if (offer.transactionCode && transactionCode === 'differs' && wrongTransactionCodes < mostWrongTransactionCodes) {
    return { events: [{ type: 'TransactionCodeRefused' }], refusal: 'transaction-code-wrong' };
  }
  if (transactionCode !== (offer.transactionCode ? 'matches' : 'absent')) return notOpen;
  if (wrongTransactionCodes >= mostWrongTransactionCodes) return notOpen;
  return { events: [{ type: 'TokenAnswerRepeated', answeredAt: now.toISOString() }] };
}

/** The connection ended before the answer was out. */
export function loseAnswer(offer: Offer): OfferEvent[] {
  return offer.status === 'redeemed' && !offer.isAnswerLost ? [{ type: 'TokenAnswerLost' }] : [];
}

const notOpen: { readonly events: OfferEvent[]; readonly refusal: RedemptionRefusal } = {
  events: [],
  refusal: 'not-open',
};
