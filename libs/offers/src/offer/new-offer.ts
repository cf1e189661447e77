import type { Repository, SingleUse } from '@app/event-store';
import { createOffer, type Offer, type OfferedCredential, type OfferEvent } from './offer';
import { boundUntil, lifetimeFrom } from './offer-lifetime';
import type { OfferSecrets } from './offer-secrets';

export type Offers = Repository<Offer, OfferEvent>;

/**
 * For one person whose data is submitted before a wallet accepts the offer, or later (deferred), or for everyone without
 * personal data (public).
 */
export type OfferKind = 'personal' | 'deferred' | 'public';

export const marksOf = {
  personal: {},
  deferred: { isDeferred: true },
  public: { isPublic: true },
} as const satisfies Record<OfferKind, object>;

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
  readonly isDeferred?: true;
  readonly byAuthorization?: Offer['byAuthorization'];
  readonly sealedRecipient?: string | undefined;
}

/** A new offer. Its handle is bound for as long as it may be needed, since a binding cannot be extended. */
export function newOffer(
  { handles }: OfferSecrets,
  terms: NewOfferTerms,
): { readonly events: readonly OfferEvent[]; readonly consume: readonly SingleUse[] } {
  const { isPublic, claimOf, isDeferred, byAuthorization, sealedRecipient } = terms;
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
    ...(isDeferred && { isDeferred }),
    ...(byAuthorization && { byAuthorization }),
    ...(sealedRecipient !== undefined && { sealedRecipient }),
  };
  return { events: createOffer(offer), consume: [handles.bindingOf(offer, boundUntil(extendableUntil, isDeferred))] };
}
