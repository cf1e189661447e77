import { Problem } from '@app/primitives/problems';
import { type Offer, type OfferEvent, publicState, type Reopening, type TransactionCode } from './offer';

/** The state of a credential that an offer holds. */
export type CredentialStanding = 'requested' | 'denied' | 'prepared' | IssuedStanding | 'erased';

/** Of a credential that a wallet got, what it has reported since, and what the issuer has made of it. */
const issuedStandings = ['issued', 'accepted', 'refused', 'deleted', 'suspended', 'revoked'] as const;
type IssuedStanding = (typeof issuedStandings)[number];

export function isIssued(standing: CredentialStanding): standing is IssuedStanding {
  return issuedStandings.some((one) => one === standing);
}

/**
 * Gives a new link to an offer that no wallet can accept any more: it was redeemed by a wallet that got nothing, was
 * locked or has expired. Its transaction code stays unless there is a new one.
 */
export function reopenOffer(
  offer: Offer,
  asked: Omit<Reopening, 'transactionCode'> & { readonly transactionCode: TransactionCode | undefined },
  standings: readonly CredentialStanding[],
  now: Date,
): OfferEvent[] {
  const obstacle = obstacleOf(offer, standings, now);
  if (obstacle !== undefined) throw new Problem('conflict', `The offer ${offer.offerId} ${obstacle}`);
  const { transactionCode = keptCode(offer), ...terms } = asked;
  return [{ type: 'OfferReopened', ...terms, ...(transactionCode && { transactionCode }) }];
}

function obstacleOf(offer: Offer, standings: readonly CredentialStanding[], now: Date): string | undefined {
  if (offer.isPublic) return 'is public: its link stays the same; take it online, or create another offer.';
  if (offer.claimOf !== undefined) {
    return `was made for a wallet that accepted the public offer ${offer.claimOf}, whose link can be used again.`;
  }
  if (standings.some(isIssued)) return 'has issued a credential already: create another offer.';
  if (standings.includes('denied')) return 'holds a credential that was denied: create another offer.';
  if (standings.includes('erased')) return 'holds a credential whose personal data was erased: create another offer.';
  switch (publicState(offer, now)) {
    case 'Redeemed':
    case 'Locked':
    case 'Expired':
      return undefined;
    case 'Withdrawn':
      return 'was withdrawn: create another offer.';
    case 'Open':
    case 'Online':
    case 'Offline':
      return 'is open: its link works.';
  }
}

function keptCode({ transactionCode, handleSalt }: Offer): TransactionCode | undefined {
  return transactionCode && { salt: handleSalt, ...transactionCode };
}
