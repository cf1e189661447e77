import type { Repository, SingleUse } from '@app/event-store';
import { plusDuration } from '@app/time';
import { createOffer, type Offer, type OfferedCredential, type OfferEvent } from './offer';
import type { OfferSecrets } from './offer-secrets';

/** The kind under which the store finds an offer by the hash of its public handle. */
export const handleKind = 'offer-handle';
const usualLifetime = 'PT24H';
export const longestLifetimeDays = 90;
/** The handle is kept a day longer than the offer can be open, for the wallet that redeems it in the last minute. */
const handleGrace = 24 * 60 * 60 * 1000;

export type Offers = Repository<Offer, OfferEvent>;

/** Stores a new offer so that its public handle finds it. @param further what happens to it at once */
export async function saveNewOffer(
  offers: Offers,
  secrets: OfferSecrets,
  wish: {
    readonly offerId: string;
    readonly now: Date;
    readonly salt: string;
    readonly credentials: readonly OfferedCredential[];
    readonly expiresIn?: string | undefined;
    readonly expiresAt?: string;
    readonly transactionCode?: Offer['transactionCode'] | undefined;
    readonly isPublic?: true;
    readonly claimOf?: string;
    /** The code that the offer is made for, in the same statement. */
    readonly usedCode?: SingleUse;
  },
  further: readonly OfferEvent[] = [],
): Promise<Offer> {
  const { isPublic, claimOf } = wish;
  const expiresAt = wish.expiresAt ? new Date(wish.expiresAt) : plusDuration(wish.now, wish.expiresIn ?? usualLifetime);
  // A used value cannot be kept longer later, so the handle is found as long as the lifetime may yet be set to.
  const extendableUntil = claimOf === undefined ? plusDuration(expiresAt, `P${longestLifetimeDays}D`) : expiresAt;
  const events = createOffer({
    offerId: wish.offerId,
    handleSalt: wish.salt,
    expiresAt: expiresAt.toISOString(),
    extendableUntil: extendableUntil.toISOString(),
    credentials: wish.credentials,
    ...(wish.transactionCode && { transactionCode: wish.transactionCode }),
    ...(isPublic && { isPublic }),
    ...(claimOf !== undefined && { claimOf }),
  });
  const hash = secrets.hashOfHandle(secrets.handleOf({ handleSalt: wish.salt }));
  const keptUntil = new Date(extendableUntil.getTime() + handleGrace);
  const bound = { kind: handleKind, hash, expiresAt: keptUntil, bindsStream: true };
  const consume = wish.usedCode ? [bound, wish.usedCode] : [bound];
  return (await offers.save(wish.offerId, 0, [...events, ...further], { consume })).state;
}
