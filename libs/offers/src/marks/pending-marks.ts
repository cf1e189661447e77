import { Injectable } from '@nestjs/common';
import { FirstFetches } from './first-fetches';
import { HeldOfferRefusals } from './refused-wallets';

/** What wallets did with offers, as far as it waits to be recorded. */
@Injectable()
export class PendingOfferMarks {
  constructor(
    private readonly fetches: FirstFetches,
    private readonly refusals: HeldOfferRefusals,
  ) {}

  /** Records what there is of an offer, before something is decided or shown that depends on it. */
  async settle(offerId: string): Promise<void> {
    await this.fetches.settle(offerId);
    await this.refusals.settle(offerId);
  }
}
