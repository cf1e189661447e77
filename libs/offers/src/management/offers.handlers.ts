import { EventStore, type Loaded, Page, type StoredEvent } from '@app/event-store';
import { type PageQuery, assertConditions, type Conditions, type TimelineEntry } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import {
  Command,
  CommandBus,
  CommandHandler,
  ICommandHandler,
  IQueryHandler,
  Query,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { CountOffers, EraseOffer, FindOfferLinks, FindOutcomes, type OpenOfferLinks } from '../api';
import { OfferLinks } from './offer-links';
import { PendingOfferMarks } from '../marks/pending-marks';
import type { Offers } from '../offer/new-offer';
import {
  type Offer,
  offerAggregate,
  type OfferEvent,
  OFFERS,
  publicState,
  type PublicState,
  publicStates,
  offersStoredAs,
  withdrawOffer,
} from '../offer/offer';
import { takeOffline, takeOnline } from '../offer/offer-switching';

export interface OfferView {
  readonly offer: Offer;
  readonly version: number;
  readonly now: Date;
  readonly createdAt: Date;
}

export class WithdrawOffer extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

/** Suspends or resumes a public offer. */
export class SwitchOffer extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly to: 'online' | 'offline',
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class GetOffer extends Query<OfferView> {
  constructor(readonly offerId: string) {
    super();
  }
}

/** One offer with its history; `claims` is how often a public one was accepted. */
export class GetOfferHistory extends Query<
  OfferView & {
    readonly claims: number;
    readonly history: readonly StoredEvent<OfferEvent>[];
    /** Of its credentials. */
    readonly outcomes: readonly TimelineEntry[];
  }
> {
  constructor(readonly offerId: string) {
    super();
  }
}

/** All of them by creation, the newest first, or those in one state by expiry, the latest first. */
export class ListOffers extends Query<Page<Offer>> {
  constructor(
    readonly page: PageQuery,
    readonly state: PublicState | undefined,
  ) {
    super();
  }
}

@CommandHandler(WithdrawOffer)
export class WithdrawOfferHandler implements ICommandHandler<WithdrawOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly marks: PendingOfferMarks,
    private readonly store: EventStore,
    private readonly commands: CommandBus,
  ) {}

  async execute({ offerId, conditions }: WithdrawOffer): Promise<void> {
    await this.marks.settle(offerId);
    await this.store.transact(async () => {
      await this.offers.update(offerId, (loaded) => withdrawOffer(asDemanded(loaded, offerId, conditions)));
      // No wallet will be shown what it says about the transaction code, and without a credential nothing else erases that.
      await this.commands.execute(new EraseOffer(offerId, 'request'));
    });
  }
}

@CommandHandler(SwitchOffer)
export class SwitchOfferHandler implements ICommandHandler<SwitchOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly marks: PendingOfferMarks,
  ) {}

  async execute({ offerId, to, conditions }: SwitchOffer): Promise<void> {
    await this.marks.settle(offerId);
    const decide = to === 'online' ? takeOnline : takeOffline;
    await this.offers.update(offerId, (loaded) => decide(asDemanded(loaded, offerId, conditions), loaded.now));
  }
}

@QueryHandler(GetOffer)
export class GetOfferHandler implements IQueryHandler<GetOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly marks: PendingOfferMarks,
  ) {}

  async execute({ offerId }: GetOffer): Promise<OfferView> {
    await this.marks.settle(offerId);
    return viewOf(await this.offers.load(offerId), offerId);
  }
}

@QueryHandler(FindOfferLinks)
export class FindOfferLinksHandler implements IQueryHandler<FindOfferLinks> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly links: OfferLinks,
  ) {}

  execute({ offerIds }: FindOfferLinks): Promise<(OpenOfferLinks | undefined)[]> {
    return Promise.all(
      offerIds.map(async (offerId) => {
        const { state, now } = await this.offers.load(offerId);
        if (!state) return undefined;
        const shown = publicState(state, now);
        return { isOpen: shown === 'Open', state: shown, links: this.links.of(state) };
      }),
    );
  }
}

@QueryHandler(CountOffers)
export class CountOffersHandler implements IQueryHandler<CountOffers> {
  constructor(private readonly store: EventStore) {}

  async execute({ beginning }: CountOffers): Promise<Partial<Record<PublicState, number>>> {
    const counts: Partial<Record<PublicState, number>> = {};
    for (const { status, isPast, count } of await this.store.countByStatus(offerAggregate.category, beginning)) {
      const state = publicStates.find((one) => {
        const { statuses, expiry } = offersStoredAs(one);
        return statuses.includes(status) && (expiry === undefined || (expiry === 'past') === isPast);
      });
      if (state) counts[state] = (counts[state] ?? 0) + count;
    }
    return counts;
  }
}

@QueryHandler(GetOfferHistory)
export class GetOfferHistoryHandler implements IQueryHandler<GetOfferHistory> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly marks: PendingOfferMarks,
    private readonly queries: QueryBus,
  ) {}

  async execute({ offerId }: GetOfferHistory) {
    await this.marks.settle(offerId);
    const loaded = await this.offers.loadWithEvents(offerId);
    const view = viewOf(loaded, offerId);
    const claims = view.offer.isPublic ? await this.offers.countChildren(offerId) : 0;
    const credentialIds = view.offer.credentials.flatMap(({ credentialId }) => credentialId ?? []);
    const outcomes = await this.queries.execute(new FindOutcomes(credentialIds));
    return { ...view, claims, history: loaded.events, outcomes };
  }
}

@QueryHandler(ListOffers)
export class ListOffersHandler implements IQueryHandler<ListOffers> {
  constructor(@Inject(OFFERS) private readonly offers: Offers) {}

  execute({ page, state }: ListOffers): Promise<Page<Offer>> {
    return state ? this.offers.listInStates({ ...page, ...offersStoredAs(state) }) : this.offers.list(page);
  }
}

export function viewOf({ state, version, now, createdAt }: Loaded<Offer>, offerId: string): OfferView {
  return { offer: existing(state, offerId), version, now, createdAt: createdAt ?? now };
}

/** The offer that is to be changed. Throws `missing-credential-offer` or `version-conflict`. */
export function asDemanded(
  { state, version }: Pick<Loaded<Offer>, 'state' | 'version'>,
  offerId: string,
  conditions: Conditions,
): Offer {
  const offer = existing(state, offerId);
  assertConditions(conditions, version);
  return offer;
}

/** The offer that was requested. Throws `missing-credential-offer`. */
export function existing(offer: Offer | undefined, offerId: string): Offer {
  if (!offer) throw new Problem('missing-credential-offer', `There is no offer with the id ${offerId}.`);
  return offer;
}
