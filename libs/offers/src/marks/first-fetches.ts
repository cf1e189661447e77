import { onBehalfOfWallets } from '@app/access';
import { HeldMarks } from '@app/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Offers } from '../offer/new-offer';
import { type Offer, OFFERS } from '../offer/offer';
import { fetchOffer } from '../offer/offer-marks';
import { OfferSecrets } from '../offer/offer-secrets';

interface Fetch {
  readonly handleHash: Buffer;
  readonly fetchedAt: Date;
}

/** The first fetches of offers, until they are recorded: with the redemption, or by themselves after a second. */
@Injectable()
export class FirstFetches extends HeldMarks<Fetch> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {
    super();
  }

  /** A wallet has fetched the offer. @param fetchedAt by the database's clock */
  async note(offer: Offer, fetchedAt: Date): Promise<void> {
    if (offer.isFetched || this.timeOf(offer)) return;
    // What is held is the fetch of a former link, which counts no more.
    this.forget(offer.offerId);
    await this.hold(offer.offerId, { handleHash: this.secrets.handles.hashOf(offer), fetchedAt });
  }

  /** Records the fetch before something is decided or shown that depends on it. */
  settle(offerId: string): Promise<void> {
    return this.settleOne(offerId);
  }

  /** When the offer was first fetched by its present link, as far as it is known here. */
  timeOf(offer: Offer): Date | undefined {
    const held = this.of(offer.offerId);
    return held?.handleHash.equals(this.secrets.handles.hashOf(offer)) ? held.fetchedAt : undefined;
  }

  /** A redemption has recorded it. */
  recorded(offerId: string): void {
    this.forget(offerId);
  }

  /** Found by the handle, so that the fetch of a former link does not count for a new one. */
  protected write({ handleHash, fetchedAt }: Fetch): Promise<unknown> {
    return onBehalfOfWallets(() =>
      this.secrets.handles.update(this.offers, handleHash, ({ state }) => ({
        events: fetchOffer(state, fetchedAt),
        result: undefined,
      })),
    );
  }
}
