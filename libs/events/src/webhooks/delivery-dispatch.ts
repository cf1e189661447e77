import { Settings } from '@app/config';
import { currentStanding } from '@app/http';
import { Tenants } from '@app/primitives/context';
import { EventStore, STORE_DRIVER, type SqlDriver, type StoredEvent, type Subscription } from '@app/event-store';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { publicEventOf, publishedStoredTypes } from '../public-event';
import { DeliveryTable } from './delivery-table';
import { Deliverers } from './deliverers';
import { ReceiverTable } from './receiver-table';
import { webhookAggregate, type WebhookEvent } from './webhook';

const { category } = webhookAggregate;

/** Hands events out. */
export const webhookSubscription = 'webhooks';

/** Whether an event changes what a webhook gets. */
const followed: Readonly<Record<WebhookEvent['type'], boolean>> = {
  WebhookCreated: true,
  WebhookChanged: true,
  WebhookPaused: true,
  WebhookResumed: true,
  WebhookDeleted: true,
  WebhookSecretRotated: false,
};
const followedTypes = Object.entries(followed).flatMap(([type, isFollowed]) => (isFollowed ? [type] : []));

/**
 * Hands every public event out to the webhooks that want it. It reads the events of webhooks in the same order, so that
 * one gets what was stored after it was created, by the filter it had then. Handling an event twice changes nothing.
 */
@Injectable()
export class DeliveryDispatch implements OnApplicationBootstrap {
  private readonly deliveries: DeliveryTable;
  private readonly receivers: ReceiverTable;

  constructor(
    private readonly store: EventStore,
    @Inject(STORE_DRIVER) driver: SqlDriver,
    private readonly settings: Settings,
    private readonly deliverers: Deliverers,
    tenants: Tenants,
  ) {
    this.deliveries = new DeliveryTable(driver);
    this.receivers = new ReceiverTable(driver);
    tenants.endWith(() => this.receivers.removeAll());
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  /** The store stops it when the service stops. */
  start(): Subscription {
    return this.store.subscribe(webhookSubscription, {
      types: [...publishedStoredTypes, ...followedTypes],
      isAlone: (event) => event.category === category,
      // Receivers come and go by events of this subscription alone.
      isIdle: async () => !(await this.receivers.hasAny()),
      batch: (events) => this.handle(events),
    });
  }

  private async handle(events: readonly [StoredEvent, ...StoredEvent[]]): Promise<void> {
    const [first] = events;
    if (first.category === category) {
      await this.follow(first.id, first.position, first.event as WebhookEvent);
      return;
    }
    const wanted = events.flatMap((event) => publicEventOf(event, this.settings.applicationUrl) ?? []);
    if ((await this.deliveries.handOut(wanted, this.store.clock(), first.tenant)) > 0) this.deliverers.wake();
  }

  private async follow(webhookId: string, position: string, event: WebhookEvent): Promise<void> {
    switch (event.type) {
      case 'WebhookCreated':
        // Its receivers have been removed already.
        if (currentStanding()?.isClosed === true) return;
        return this.receivers.add(webhookId, position, event.content);
      case 'WebhookChanged':
        return this.receivers.filter(webhookId, event.content);
      case 'WebhookPaused':
        return this.receivers.pause(webhookId);
      case 'WebhookResumed':
        await this.deliveries.hasten(webhookId, this.store.clock());
        await this.receivers.resume(webhookId);
        this.deliverers.wake();
        return;
      case 'WebhookDeleted':
        return this.receivers.remove(webhookId);
      case 'WebhookSecretRotated':
        return;
    }
  }
}
