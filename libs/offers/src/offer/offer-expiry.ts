import { DueExpiries, type Repository } from '@app/event-store';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { expireOffer, type Offer, offerAggregate, type OfferEvent, OFFERS, offersToExpire } from './offer';

/** Has the expiry of offers recorded. */
@Injectable()
export class OfferExpiry implements OnModuleInit {
  constructor(
    @Inject(OFFERS) private readonly offers: Repository<Offer, OfferEvent>,
    private readonly due: DueExpiries,
  ) {}

  onModuleInit(): void {
    this.due.add({
      category: offerAggregate.category,
      list: (page) => this.offers.listInStates({ ...page, ...offersToExpire }),
      record: async (id) => {
        await this.offers.update(id, ({ state, now }) => (state ? expireOffer(state, now) : []));
      },
    });
  }
}
