import type { SingleUse } from '@app/event-store';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { GrantName } from './grant';
import { newOffer, type Offers } from './new-offer';
import { type Offer, type OfferEvent, OFFERS } from './offer';
import { OfferSecrets } from './offer-secrets';

/** What becomes of public offers that wallets accept: a public offer does not change, so that any number can accept it at once. */
@Injectable()
export class PublicClaims {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  /**
   * A claim, an offer of its own that is redeemed. Joins the caller's unit of work.
   * @param redeemed what a redemption of the public offer would record
   * @param authorizationId whose id the claim has; without one, it has a random one
   */
  async make(
    { credentials, expiresAt, offerId: claimOf, byAuthorization }: Offer,
    redeemed: readonly OfferEvent[],
    now: Date,
    { used = [], authorizationId }: { readonly used?: readonly SingleUse[]; readonly authorizationId?: string },
  ): Promise<GrantName> {
    const salt = this.secrets.handles.newSalt();
    const offerId = authorizationId ?? randomUUID();
    const granted = authorizationId === undefined ? {} : { byAuthorization };
    const { events, consume } = newOffer(this.secrets, {
      offerId,
      now,
      salt,
      credentials,
      expiresAt,
      claimOf,
      ...granted,
    });
    await this.offers.save(offerId, 0, [...events, ...redeemed], { consume: [...consume, ...used] });
    return this.secrets.grantOf({ handleSalt: salt });
  }

  /** What an authorization has accepted: the offer itself, or its claim of a public one. */
  acceptedBy(authorizationId: string, offerId: string): Awaitable<Extract<Offer, { status: 'redeemed' }> | undefined> {
    const loaded = whenThere(this.offers.load(offerId), (offer) =>
      offer.state?.isPublic ? this.offers.load(authorizationId) : offer,
    );
    return whenThere(loaded, ({ state: accepted }) => {
      if (accepted?.status !== 'redeemed' || accepted.by?.authorizationId !== authorizationId) return undefined;
      return (accepted.claimOf ?? accepted.offerId) === offerId ? accepted : undefined;
    });
  }
}
