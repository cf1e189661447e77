import type { OfferPageState } from '@app/pages';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { FindStandings } from '../api';
import { PendingOfferMarks } from '../marks/pending-marks';
import type { Offers } from '../offer/new-offer';
import { type Offer, offerAggregate, OFFERS } from '../offer/offer';
import { offerPageState } from './offer-page-state';
import { OfferSecrets } from '../offer/offer-secrets';
import { PromisedCredentials } from '../offer/promised-credentials';

export interface FoundOfferPage {
  readonly offer: Offer;
  readonly state: OfferPageState;
  /** The database's clock. */
  readonly now: Date;
  /** The streams that the state follows from, as `category-id`. */
  readonly streams: readonly string[];
}

/** What a person sees who opens the page of an offer; leaves no mark. Nothing when the handle was never one, or is one no more. */
export class FindOfferPage extends Query<FoundOfferPage | undefined> {
  constructor(readonly handle: string) {
    super();
  }
}

@QueryHandler(FindOfferPage)
export class FindOfferPageHandler implements IQueryHandler<FindOfferPage> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly queries: QueryBus,
    private readonly promised: PromisedCredentials,
  ) {}

  async execute({ handle }: FindOfferPage): Promise<FoundOfferPage | undefined> {
    const found = await this.secrets.handles.findByText(this.offers, handle);
    if (!found) return undefined;
    const { state: offer, now } = found;
    const held = offer.credentials.flatMap(({ credentialId }) => credentialId ?? []);
    const standings = offer.status === 'redeemed' ? await this.queries.execute(new FindStandings(held)) : [];
    const isFetched = offer.isFetched ?? this.marks.fetchedAt(offer) !== undefined;
    return {
      offer,
      state: offerPageState(offer, { standings, isFetched, isAvailable: await this.isAvailable(offer), now }),
      now,
      streams: [`${offerAggregate.category}-${offer.offerId}`, ...held.map((id) => `credential-${id}`)],
    };
  }
  /** Whether any credential of an open offer is issued at present. */
  private async isAvailable(offer: Offer): Promise<boolean> {
    const { status, credentials } = offer;
    if (status !== 'open' || credentials.length === 0) return true;
    const ids = credentials.map(({ configurationId }) => configurationId);
    return (await this.promised.denialsOf(ids, offer)).length < ids.length;
  }
}
