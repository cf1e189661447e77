import type { Repository, SingleUse } from '@app/event-store';
import { createOffer, type Offer, type OfferedCredential, type OfferEvent } from './offer';
import { lifetimeFrom } from './offer-lifetime';
import type { OfferSecrets } from './offer-secrets';

export type Offers = Repository<Offer, OfferEvent>;

export interface NewOfferTerms {
  readonly offerId: string;
  readonly now: Date;
  readonly salt: string;
  readonly credentials: readonly OfferedCredential[];
  readonly expiresIn?: string | undefined;
  readonly expiresAt?: string;
  readonly transactionCode?: Offer['transactionCode'] | undefined;
  readonly isPublic?: true;
  readonly claimOf?: string;
}

/** A new offer. Its handle is bound for the longest lifetime that may be set later, since a binding cannot be extended. */
export function newOffer(
  { handles }: OfferSecrets,
  terms: NewOfferTerms,
): { readonly events: readonly OfferEvent[]; readonly consume: readonly SingleUse[] } {
  const { isPublic, claimOf } = terms;
  const lifetime = lifetimeFrom(terms.now, terms.expiresIn);
  const expiresAt = terms.expiresAt === undefined ? lifetime.expiresAt : new Date(terms.expiresAt);
  const extendableUntil = claimOf === undefined ? lifetime.extendableUntil : expiresAt;
  const offer = {
    offerId: terms.offerId,
    handleSalt: terms.salt,
    expiresAt: expiresAt.toISOString(),
    extendableUntil: extendableUntil.toISOString(),
    credentials: terms.credentials,
    ...(terms.transactionCode && { transactionCode: terms.transactionCode }),
    ...(isPublic && { isPublic }),
    ...(claimOf !== undefined && { claimOf }),
  };
  return { events: createOffer(offer), consume: [handles.bindingOf(offer, extendableUntil)] };
}
