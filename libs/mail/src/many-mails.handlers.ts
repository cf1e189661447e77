import { EventStore } from '@app/event-store';
import { FindOfferToHandOver } from '@app/offers';
import { inLanes } from '@app/primitives/awaitable';
import { CommandHandler, ICommandHandler, type IQueryHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { CountMails, FindLastDeliveries, QueueMails, type SkipReason, StopMails } from './api';
import { Mailers } from './mailers';
import type { DeliveryState } from './offer-delivery';
import { OfferDeliveryTable } from './offer-delivery-table';

/** Offers that are read at the same time. */
const lanes = 8;
/** Of a last mail after which no other one is sent unless somebody asks for just that. */
const enough: readonly DeliveryState[] = ['Queued', 'Sent', 'Bounced'];

@CommandHandler(QueueMails)
export class QueueMailsHandler implements ICommandHandler<QueueMails> {
  constructor(
    private readonly queries: QueryBus,
    private readonly store: EventStore,
    private readonly mailers: Mailers,
    private readonly table: OfferDeliveryTable,
  ) {}

  async execute({ mails, locale }: QueueMails): Promise<('queued' | SkipReason)[]> {
    const found = await this.table.latest(mails.map(({ offerId }) => offerId));
    const latest = new Map(found.flatMap((one) => (one.channel === 'email' ? [[one.offerId, one] as const] : [])));
    const outcomes: ('queued' | SkipReason | undefined)[] = [];
    await inLanes(mails.entries(), lanes, async ([at, { deliveryId, offerId }]) => {
      const last = latest.get(offerId);
      if (last?.deliveryId === deliveryId) outcomes[at] = 'queued';
      else if (last && enough.includes(last.status)) outcomes[at] = 'mailed';
      else outcomes[at] = await this.hindrance(offerId);
    });
    const wanted = mails.filter((_mail, at) => outcomes[at] === undefined);
    const added = await this.table.addMails(wanted, locale, this.store.clock());
    this.mailers.wake();
    return mails.map(({ deliveryId }, at) => outcomes[at] ?? (added.has(deliveryId) ? 'queued' : 'mailed'));
  }

  private async hindrance(offerId: string): Promise<SkipReason | undefined> {
    const offer = await this.queries.execute(new FindOfferToHandOver(offerId));
    if (offer?.state === 'Redeemed') return 'taken';
    if (offer?.state !== 'Open') return 'not-open';
    return offer.recipient?.email === undefined ? 'no-address' : undefined;
  }
}

@CommandHandler(StopMails)
export class StopMailsHandler implements ICommandHandler<StopMails> {
  constructor(
    private readonly store: EventStore,
    private readonly table: OfferDeliveryTable,
  ) {}

  execute({ which }: StopMails): Promise<number> {
    const now = this.store.clock();
    return typeof which === 'string' ? this.table.cancelFrom(which, now) : this.table.cancelThese(which, now);
  }
}

@QueryHandler(FindLastDeliveries)
export class FindLastDeliveriesHandler implements IQueryHandler<FindLastDeliveries> {
  constructor(private readonly table: OfferDeliveryTable) {}

  execute({ offerIds }: FindLastDeliveries) {
    return this.table.latest(offerIds);
  }
}

@QueryHandler(CountMails)
export class CountMailsHandler implements IQueryHandler<CountMails> {
  constructor(private readonly table: OfferDeliveryTable) {}

  execute({ beginning }: CountMails) {
    return this.table.countLatest(beginning);
  }
}
