import type { Language } from '@app/pages';

export const channels = ['email', 'letter'] as const;
export type Channel = (typeof channels)[number];

export const deliveryStates = ['Queued', 'Sent', 'Failed', 'Bounced', 'Cancelled'] as const;
/** `Sent`: a relay has taken the mail, or the letter was made. `Bounced`: it did not come to the person. */
export type DeliveryState = (typeof deliveryStates)[number];

export const bounceReasons = ['wrong-address', 'mailbox-full', 'refused', 'other'] as const;
export type BounceReason = (typeof bounceReasons)[number];

/** An offer on its way to its person. */
export interface OfferDelivery {
  readonly deliveryId: string;
  readonly offerId: string;
  readonly channel: Channel;
  /** Of the recipient when null. */
  readonly locale: Language | null;
  readonly status: DeliveryState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date;
  readonly changedAt: Date;
}

/** With the mark of its tenant. */
export interface DueDelivery extends Pick<
  OfferDelivery,
  'deliveryId' | 'offerId' | 'locale' | 'attempts' | 'createdAt'
> {
  readonly tenant: string;
}
