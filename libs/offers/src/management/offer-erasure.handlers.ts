import { erasePersonalData, EventStore } from '@app/event-store';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { EraseOffer } from '../api';
import type { Offers } from '../offer/new-offer';
import { offerAggregate, OFFERS } from '../offer/offer';

@CommandHandler(EraseOffer)
export class EraseOfferHandler implements ICommandHandler<EraseOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
  ) {}

  execute({ offerId, cause }: EraseOffer): Promise<void> {
    return this.store.transact(async () => {
      const { state: present, dataKey } = await this.offers.load(offerId);
      // Again, too, when it is erased: its erasure key may still be there.
      if (!dataKey && present?.erasedAt === undefined) return;
      await this.offers.update(offerId, ({ state, dataKey: key, now }) =>
        // With a key it has a description again, set since an earlier erasure.
        state ? erasePersonalData(key ? {} : state, cause, now) : [],
      );
      await this.store.destroyDataKey(offerAggregate.category, offerId);
    });
  }
}
