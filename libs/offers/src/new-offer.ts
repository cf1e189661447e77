import type { Loaded, Repository, SingleUse } from '@app/event-store';
import { plusDuration } from '@app/time';
import { createOffer, type Offer, type OfferedCredential, type OfferEvent } from './offer';
import type { OfferSecrets } from './offer-secrets';

/** The kind under which the store finds an offer by the hash of its public handle. */
const handleKind = 'offer-handle';
const usualLifetime = 'PT24H';
export const longestLifetimeDays = 90;
/** The handle is kept a day longer than the offer can be open, for the wallet that redeems it in the last minute. */
const handleGrace = 24 * 60 * 60 * 1000;

export type Offers = Repository<Offer, OfferEvent>;

/** The offer that this is the present handle of; earlier ones find it in the store, too, and are void. */
export async function loadByHandle(
  offers: Offers,
  secrets: OfferSecrets,
  handleHash: Buffer,
): Promise<(Loaded<Offer> & { readonly id: string; readonly state: Offer }) | undefined> {
  const loaded = await offers.loadByHandle(handleKind, handleHash);
  if (!loaded?.state || !secrets.isHandleOf(loaded.state, handleHash)) return undefined;
  return { ...loaded, state: loaded.state };
}

/** Binds a public handle to its offer as long as the lifetime may yet be set to, as a used value cannot be kept longer later. */
export function handleBinding(
  secrets: OfferSecrets,
  { handleSalt, extendableUntil }: { readonly handleSalt: string; readonly extendableUntil: Date },
): SingleUse {
  const hash = secrets.hashOfHandle(secrets.handleOf({ handleSalt }));
  const expiresAt = new Date(extendableUntil.getTime() + handleGrace);
  return { kind: handleKind, hash, expiresAt, bindsStream: true };
}

/** When an offer ends, and how far that can be moved. */
export function lifetimeFrom(
  now: Date,
  expiresIn = usualLifetime,
): { readonly expiresAt: Date; readonly extendableUntil: Date } {
  const expiresAt = plusDuration(now, expiresIn);
  return { expiresAt, extendableUntil: plusDuration(expiresAt, `P${longestLifetimeDays}D`) };
}

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
  const lifetime = lifetimeFrom(wish.now, wish.expiresIn);
  const expiresAt = wish.expiresAt ? new Date(wish.expiresAt) : lifetime.expiresAt;
  const extendableUntil = claimOf === undefined ? lifetime.extendableUntil : expiresAt;
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
  const bound = handleBinding(secrets, { handleSalt: wish.salt, extendableUntil });
  const consume = wish.usedCode ? [bound, wish.usedCode] : [bound];
  return (await offers.save(wish.offerId, 0, [...events, ...further], { consume })).state;
}
