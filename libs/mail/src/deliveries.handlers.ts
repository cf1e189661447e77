import { noteSending } from '@app/access';
import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { FindOfferToHandOver, type OfferToHandOver, type Recipient } from '@app/offers';
import { Metrics } from '@app/observability';
import type { Language } from '@app/pages';
import { ofTenant } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import {
  Command,
  CommandHandler,
  ICommandHandler,
  type IQueryHandler,
  Query,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { createHash, randomUUID } from 'node:crypto';
import { assertRelay } from './assert-relay';
import type { BounceReason, Channel, OfferDelivery } from './offer-delivery';
import { OfferDeliveryTable } from './offer-delivery-table';
import { Letters } from './letters';
import { mailCounter } from './mail-counter';
import { Mailers } from './mailers';

const shown = 100;

export class Deliver extends Command<OfferDelivery> {
  constructor(
    readonly offerId: string,
    readonly channel: Channel,
    readonly locale: Language | undefined,
    /** The same one sends nothing twice. */
    readonly idempotencyKey: string | undefined,
  ) {
    super();
  }
}

export class ListOfferDeliveries extends Query<{
  readonly recipient: Recipient | undefined;
  readonly items: readonly OfferDelivery[];
}> {
  constructor(readonly offerId: string) {
    super();
  }
}

export class GetDelivery extends Query<OfferDelivery> {
  constructor(
    readonly offerId: string,
    readonly deliveryId: string,
  ) {
    super();
  }
}

/** One page with a letter for each of the offers. */
export class PrintLetters extends Command<string> {
  constructor(
    readonly offers: readonly { readonly offerId: string; readonly txCode?: string }[],
    readonly locale: Language | undefined,
    /** Whether each is noted as a delivery. */
    readonly isNoted: boolean,
  ) {
    super();
  }
}

/** @returns how many were stopped */
export class CancelDeliveries extends Command<number> {
  constructor(readonly offerIds: readonly string[] | undefined) {
    super();
  }
}

export class CancelDelivery extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly deliveryId: string,
  ) {
    super();
  }
}

export class NoteBounce extends Command<OfferDelivery> {
  constructor(
    readonly offerId: string,
    readonly deliveryId: string,
    readonly reason: BounceReason,
  ) {
    super();
  }
}

@CommandHandler(Deliver)
export class DeliverHandler implements ICommandHandler<Deliver> {
  constructor(
    private readonly queries: QueryBus,
    private readonly store: EventStore,
    private readonly settings: Settings,
    private readonly mailers: Mailers,
    private readonly table: OfferDeliveryTable,
  ) {}

  async execute({ offerId, channel, locale, idempotencyKey }: Deliver): Promise<OfferDelivery> {
    const offer = deliverable(await this.queries.execute(new FindOfferToHandOver(offerId)), offerId);
    if (channel === 'email') this.assertMailable(offer);
    noteSending(offerId);
    const deliveryId = idempotencyKey === undefined ? randomUUID() : idOf(offerId, idempotencyKey);
    const status = channel === 'email' ? 'Queued' : 'Sent';
    const made = await this.table.add({ deliveryId, offerId, channel, locale, status }, this.store.clock());
    if (!made) {
      const detail = `A mail with the link of the offer ${offerId} is on its way already; stop it before you send another one.`;
      throw new Problem('conflict', detail);
    }
    this.mailers.wake();
    return made;
  }

  private assertMailable({ offerId, recipient }: OfferToHandOver): void {
    assertRelay(this.settings.mail);
    if (recipient?.email !== undefined) return;
    const detail = `The offer ${offerId} has no e-mail address: send it as recipient to POST /v0/offers, with the id of the offer.`;
    throw new Problem('conflict', detail);
  }
}

@QueryHandler(ListOfferDeliveries)
export class ListOfferDeliveriesHandler implements IQueryHandler<ListOfferDeliveries> {
  constructor(
    private readonly queries: QueryBus,
    private readonly table: OfferDeliveryTable,
  ) {}

  async execute({ offerId }: ListOfferDeliveries) {
    const { recipient } = existing(await this.queries.execute(new FindOfferToHandOver(offerId)), offerId);
    return { recipient, items: await this.table.ofOffer(offerId, shown) };
  }
}

@QueryHandler(GetDelivery)
export class GetDeliveryHandler implements IQueryHandler<GetDelivery> {
  constructor(private readonly table: OfferDeliveryTable) {}

  execute({ offerId, deliveryId }: GetDelivery): Promise<OfferDelivery> {
    return found(this.table, offerId, deliveryId);
  }
}

@CommandHandler(PrintLetters)
export class PrintLettersHandler implements ICommandHandler<PrintLetters> {
  constructor(
    private readonly queries: QueryBus,
    private readonly store: EventStore,
    private readonly letters: Letters,
    private readonly table: OfferDeliveryTable,
  ) {}

  async execute({ offers, locale, isNoted }: PrintLetters): Promise<string> {
    const found: { readonly offer: OfferToHandOver; readonly txCode: string | undefined }[] = [];
    for (const { offerId, txCode } of offers) {
      const offer = deliverable(await this.queries.execute(new FindOfferToHandOver(offerId)), offerId);
      found.push({ offer, txCode });
    }
    noteSending(offers.length === 1 ? offers[0]?.offerId : null);
    const page = await this.letters.page(found, locale);
    const status = 'Sent';
    for (const { offer } of isNoted ? found : []) {
      const letter = { deliveryId: randomUUID(), offerId: offer.offerId, channel: 'letter', locale, status } as const;
      await this.table.add(letter, this.store.clock());
    }
    return page;
  }
}

@CommandHandler(CancelDeliveries)
export class CancelDeliveriesHandler implements ICommandHandler<CancelDeliveries> {
  constructor(
    private readonly store: EventStore,
    private readonly table: OfferDeliveryTable,
  ) {}

  execute({ offerIds }: CancelDeliveries): Promise<number> {
    noteSending();
    return this.table.cancel(offerIds, this.store.clock());
  }
}

@CommandHandler(CancelDelivery)
export class CancelDeliveryHandler implements ICommandHandler<CancelDelivery> {
  constructor(
    private readonly store: EventStore,
    private readonly table: OfferDeliveryTable,
  ) {}

  async execute({ offerId, deliveryId }: CancelDelivery): Promise<void> {
    const { status } = await found(this.table, offerId, deliveryId);
    noteSending(offerId);
    if (status === 'Cancelled') return;
    const isStopped = await this.table.change(deliveryId, ['Queued'], { status: 'Cancelled' }, this.store.clock());
    if (!isStopped) throw new Problem('conflict', `The delivery ${deliveryId} is queued no more.`);
  }
}

@CommandHandler(NoteBounce)
export class NoteBounceHandler implements ICommandHandler<NoteBounce> {
  constructor(
    private readonly store: EventStore,
    private readonly table: OfferDeliveryTable,
    private readonly metrics: Metrics,
  ) {}

  async execute({ offerId, deliveryId, reason }: NoteBounce): Promise<OfferDelivery> {
    const { status, channel } = await found(this.table, offerId, deliveryId);
    noteSending(offerId);
    const to = { status: 'Bounced', reason } as const;
    if (!(await this.table.change(deliveryId, ['Sent', 'Bounced'], to, this.store.clock()))) {
      throw new Problem('conflict', `The delivery ${deliveryId} was not sent, so it cannot have come back.`);
    }
    if (channel === 'email' && status === 'Sent') this.metrics.count(mailCounter, { outcome: 'bounced' });
    return found(this.table, offerId, deliveryId);
  }
}

async function found(table: OfferDeliveryTable, offerId: string, deliveryId: string): Promise<OfferDelivery> {
  const delivery = await table.find(offerId, deliveryId);
  if (!delivery) throw new Problem('not-found', 'The offer has no delivery with this id.');
  return delivery;
}

function existing(offer: OfferToHandOver | undefined, offerId: string): OfferToHandOver {
  if (!offer) throw new Problem('missing-credential-offer', `There is no offer with the id ${offerId}.`);
  return offer;
}

/** Throws `missing-credential-offer`, and `conflict` for one that leads a person nowhere. */
function deliverable(offer: OfferToHandOver | undefined, offerId: string): OfferToHandOver {
  const { state } = existing(offer, offerId);
  if (offer && (state === 'Open' || state === 'Online')) return offer;
  throw new Problem(
    'conflict',
    `The offer ${offerId} is ${state}: its link leads to nothing. Reopen it, or open another one.`,
  );
}

/** An `Idempotency-Key` may be a secret of the client. */
function idOf(offerId: string, idempotencyKey: string): string {
  return createHash('sha256')
    .update(JSON.stringify([ofTenant('delivery'), offerId, idempotencyKey]))
    .digest('base64url');
}
