import type { SingleUse } from '@app/event-store';
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
  async acceptedBy(
    authorizationId: string,
    offerId: string,
  ): Promise<Extract<Offer, { status: 'redeemed' }> | undefined> {
    const { state } = await this.offers.load(offerId);
    const accepted = state?.isPublic ? (await this.offers.load(authorizationId)).state : state;
    if (accepted?.status !== 'redeemed' || accepted.by?.authorizationId !== authorizationId) return undefined;
    return (accepted.claimOf ?? accepted.offerId) === offerId ? accepted : undefined;
  }
}
