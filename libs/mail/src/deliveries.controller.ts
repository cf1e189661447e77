import { type Answer, created, HttpReply, Implements, type Input, representation, Resource } from '@app/http';
import { letterPolicy } from '@app/pages';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { OfferDelivery } from './offer-delivery';
import { deliveries, handover, letters } from './deliveries.contract';
import {
  CancelDeliveries,
  CancelDelivery,
  Deliver,
  GetDelivery,
  ListOfferDeliveries,
  NoteBounce,
  PrintLetters,
} from './deliveries.handlers';

@Resource(handover)
export class HandoverController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(handover.deliver)
  async deliver({ params: { offerId }, body, idempotencyKey }: Input<typeof handover.deliver>): Promise<HttpReply> {
    const made = await this.commands.execute(new Deliver(offerId, body.channel, body.locale, idempotencyKey));
    const at = `/v0/offers/${encodeURIComponent(offerId)}/deliveries/${encodeURIComponent(made.deliveryId)}`;
    return created(at, deliveryView(made));
  }

  @Implements(handover.listDeliveries)
  async list({
    params: { offerId },
  }: Input<typeof handover.listDeliveries>): Promise<Answer<typeof handover.listDeliveries>> {
    const { recipient, items } = await this.queries.execute(new ListOfferDeliveries(offerId));
    return { ...(recipient && { recipient }), items: items.map(deliveryView) };
  }

  @Implements(handover.letter)
  async letter({ params: { offerId }, query }: Input<typeof handover.letter>): Promise<HttpReply> {
    return letterReply(await this.commands.execute(new PrintLetters([{ offerId }], query.locale, false)));
  }
}

@Resource(letters)
export class LettersController {
  constructor(private readonly commands: CommandBus) {}

  @Implements(letters.print)
  async print({ body }: Input<typeof letters.print>): Promise<HttpReply> {
    return letterReply(await this.commands.execute(new PrintLetters(body.offers, body.locale, true)));
  }

  @Implements(letters.cancelDeliveries)
  async cancelDeliveries({
    body,
  }: Input<typeof letters.cancelDeliveries>): Promise<Answer<typeof letters.cancelDeliveries>> {
    return { cancelled: await this.commands.execute(new CancelDeliveries(body.offerIds)) };
  }
}

@Resource(deliveries)
export class DeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(deliveries.getDelivery)
  async get({
    params: { offerId, deliveryId },
  }: Input<typeof deliveries.getDelivery>): Promise<Answer<typeof deliveries.getDelivery>> {
    return deliveryView(await this.queries.execute(new GetDelivery(offerId, deliveryId)));
  }

  @Implements(deliveries.cancelDelivery)
  async cancel({ params: { offerId, deliveryId } }: Input<typeof deliveries.cancelDelivery>): Promise<void> {
    await this.commands.execute(new CancelDelivery(offerId, deliveryId));
  }

  @Implements(deliveries.bounce)
  async bounce({
    params: { offerId, deliveryId },
    body,
  }: Input<typeof deliveries.bounce>): Promise<Answer<typeof deliveries.bounce>> {
    return deliveryView(await this.commands.execute(new NoteBounce(offerId, deliveryId, body.reason)));
  }
}

function letterReply(page: string): HttpReply {
  const { status, body, headers } = representation('text/html; charset=utf-8', page);
  return new HttpReply(status, body, { ...headers, 'Content-Security-Policy': letterPolicy });
}

function deliveryView(delivery: OfferDelivery): Answer<typeof deliveries.bounce> {
  const { deliveryId, offerId, channel, locale, status, reason, attempts, attemptedAt, createdAt, changedAt } =
    delivery;
  return {
    deliveryId,
    offerId,
    channel,
    ...(locale !== null && { locale }),
    status,
    ...(reason !== null && { reason }),
    attempts,
    createdAt: createdAt.toISOString(),
    ...(attemptedAt && { attemptedAt: attemptedAt.toISOString() }),
    ...(status === 'Queued' && { nextAttemptAt: later(createdAt, delivery.nextAttemptAt).toISOString() }),
    changedAt: changedAt.toISOString(),
  };
}

/** What was asked for by itself has an earlier time, so that it comes first. */
function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
