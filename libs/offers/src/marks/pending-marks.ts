import { onBehalfOfWallets } from '@app/access';
import { EventStore, HeldMarks, PendingMarks } from '@app/event-store';
import { HeldRefusals } from '@app/http';
import type { RefusedStep, WalletRefusal } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import type { Offers } from '../offer/new-offer';
import { type Offer, OFFERS } from '../offer/offer';
import { fetchOffer, refuseWalletOfOffer } from '../offer/offer-marks';
import { OfferSecrets } from '../offer/offer-secrets';

interface Fetch {
  readonly handleHash: Buffer;
  readonly fetchedAt: Date;
}

/**
 * What wallets did with offers, until it is recorded: the first fetch of each with the redemption or by itself after a second, and the
 * refusals of those that hold a link, code or token of one. Both are found by the handle, so that nothing of a former link counts for a
 * new one.
 */
@Injectable()
export class PendingOfferMarks extends PendingMarks {
  private readonly fetches = new HeldMarks<Fetch>(({ handleHash, fetchedAt }) =>
    onBehalfOfWallets(() =>
      this.secrets.handles.update(this.offers, handleHash, ({ state }) => ({
        events: fetchOffer(state, fetchedAt),
        result: undefined,
      })),
    ),
  );
  private readonly refusals = new HeldRefusals<Buffer>((handleHash, refusal) =>
    onBehalfOfWallets(() => this.store.transact(() => this.recordRefusal(handleHash, refusal))),
  );
  protected readonly kinds = [this.fetches, this.refusals];

  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly store: EventStore,
  ) {
    super();
  }

  /** A wallet has fetched the offer. @param fetchedAt by the database's clock */
  fetched(offer: Offer, fetchedAt: Date): Awaitable<unknown> {
    if (offer.isFetched || this.fetchedAt(offer)) return undefined;
    // What is held is the fetch of a former link, which counts no more.
    this.fetches.forget(offer.offerId);
    return this.fetches.hold(offer.offerId, { handleHash: this.secrets.handles.hashOf(offer), fetchedAt });
  }

  /** When the offer was first fetched by its present link, as far as it is known here. */
  fetchedAt(offer: Offer): Date | undefined {
    const held = this.fetches.of(offer.offerId);
    return held?.handleHash.equals(this.secrets.handles.hashOf(offer)) ? held.fetchedAt : undefined;
  }

  /** A redemption has recorded the fetch. */
  fetchRecorded(offerId: string): void {
    this.fetches.forget(offerId);
  }

  /** @param handleHash of the offer, by whose present link alone a refusal counts */
  refused(handleHash: Buffer, refusal: RefusedStep): void {
    this.refusals.add(handleHash.toString('base64url'), handleHash, refusal, this.store.clock());
  }

  /** Records what there is of an offer, before something is decided or shown that depends on it. */
  settle(offerId: string): Awaitable<unknown> {
    return whenThere(this.fetches.settleOne(offerId), () =>
      this.refusals.keys.length > 0 ? this.settleRefusals(offerId) : undefined,
    );
  }

  private async settleRefusals(offerId: string): Promise<void> {
    const { state } = await this.offers.load(offerId);
    if (state) await this.refusals.settleStream(this.secrets.handles.hashOf(state).toString('base64url'));
  }

  private async recordRefusal(handleHash: Buffer, refusal: WalletRefusal): Promise<void> {
    const refused = await this.secrets.handles.update(this.offers, handleHash, ({ state }) => ({
      events: refuseWalletOfOffer(state, refusal),
      result: state,
    }));
    // Of a public offer the portal watches the offer itself, not the claims that wallets made.
    if (refused?.claimOf === undefined) return;
    await this.offers.update(refused.claimOf, ({ state }) => (state ? refuseWalletOfOffer(state, refusal) : []));
  }
}
