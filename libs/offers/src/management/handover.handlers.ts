import { FindPromisedConfiguration } from '@app/templates';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { FindOfferToHandOver, type OfferToHandOver } from '../api';
import type { Offers } from '../offer/new-offer';
import { OFFERS, publicState } from '../offer/offer';
import { PersonalTerms } from '../offer/personal-terms';
import { OfferLinks } from './offer-links';

@QueryHandler(FindOfferToHandOver)
export class FindOfferToHandOverHandler implements IQueryHandler<FindOfferToHandOver> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly personal: PersonalTerms,
    private readonly links: OfferLinks,
    private readonly queries: QueryBus,
  ) {}

  async execute({ offerId }: FindOfferToHandOver): Promise<OfferToHandOver | undefined> {
    const { state: offer, now, dataKey } = await this.offers.load(offerId);
    if (!offer) return undefined;
    const credentials = await Promise.all(
      offer.credentials.map(async ({ configurationId }) => {
        const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
        return { configurationId, display: 'configuration' in found ? (found.configuration.display ?? []) : [] };
      }),
    );
    return {
      offerId,
      state: publicState(offer, now),
      page: this.links.of(offer).links.page,
      expiresAt: new Date(offer.expiresAt),
      credentials,
      hasTransactionCode: offer.transactionCode !== undefined,
      recipient: await this.personal.recipientOf(offer, dataKey),
    };
  }
}
