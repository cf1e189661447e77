import { onBehalfOfWallets } from '@app/access';
import { EventStore } from '@app/event-store';
import { HeldRefusals } from '@app/http';
import type { RefusedStep, WalletRefusal } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import type { Offers } from '../offer/new-offer';
import { OFFERS } from '../offer/offer';
import { refuseWalletOfOffer } from '../offer/offer-marks';
import { OfferSecrets } from '../offer/offer-secrets';

/** The refusals of wallets that hold a link, code or token of an offer, until they are recorded with it. */
@Injectable()
export class HeldOfferRefusals extends HeldRefusals<Buffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly store: EventStore,
  ) {
    super();
  }

  /** @param handleHash of the offer, by whose present link alone a refusal counts */
  note(handleHash: Buffer, refusal: RefusedStep): void {
    this.add(handleHash.toString('base64url'), handleHash, refusal, this.store.clock());
  }

  /** Records what is held of an offer. */
  async settle(offerId: string): Promise<void> {
    if (this.keys.length === 0) return;
    const { state } = await this.offers.load(offerId);
    if (state) await this.settleStream(this.secrets.handles.hashOf(state).toString('base64url'));
  }

  protected record(handleHash: Buffer, refusal: WalletRefusal): Promise<unknown> {
    return onBehalfOfWallets(() =>
      this.store.transact(async () => {
        const refused = await this.secrets.handles.update(this.offers, handleHash, ({ state }) => ({
          events: refuseWalletOfOffer(state, refusal),
          result: state,
        }));
        // Of a public offer the portal watches the offer itself, not the claims that wallets made.
        if (refused?.claimOf === undefined) return;
        await this.offers.update(refused.claimOf, ({ state }) => (state ? refuseWalletOfOffer(state, refusal) : []));
      }),
    );
  }
}
