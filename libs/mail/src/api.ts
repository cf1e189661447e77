import type { Language } from '@app/pages';
import { Command, Query } from '@nestjs/cqrs';
import type { DeliveryState, OfferDelivery } from './offer-delivery';

export { mailCounter } from './mail-counter';
export { deliveryStates, type DeliveryState, type OfferDelivery } from './offer-delivery';
export { examineRelay } from './relay';
export type { RelayFailure } from './relay-failure';
export { assertRelay } from './assert-relay';

/** Why no mail of an offer is queued. `mailed`: one is on its way, or was sent before; `not-open`: its link leads to nothing. */
export const skipReasons = ['mailed', 'taken', 'not-open', 'no-address'] as const;
export type SkipReason = (typeof skipReasons)[number];

/**
 * Queues a mail for each of these offers that needs one, behind the mails that were asked for one by one. Again with the same ids it queues
 * nothing more and answers the same.
 * @returns what became of each, in their order
 */
export class QueueMails extends Command<readonly ('queued' | SkipReason)[]> {
  constructor(
    readonly mails: readonly { readonly deliveryId: string; readonly offerId: string }[],
    /** That of each recipient when absent. */
    readonly locale: Language | undefined,
  ) {
    super();
  }
}

/** Stops mails that are queued. @param which of offers whose ids begin so, or those with these ids @returns how many */
export class StopMails extends Command<number> {
  constructor(readonly which: string | readonly string[]) {
    super();
  }
}

/** The last mail and the last letter of each of these offers that has one. */
export class FindLastDeliveries extends Query<readonly OfferDelivery[]> {
  constructor(readonly offerIds: readonly string[]) {
    super();
  }
}

/** How many offers whose ids begin so have a last mail in each state. */
export class CountMails extends Query<Readonly<Partial<Record<DeliveryState, number>>>> {
  constructor(readonly beginning: string) {
    super();
  }
}
