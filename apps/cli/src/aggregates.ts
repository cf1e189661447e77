import type { EventStore } from '@app/event-store';
import { credentialAggregate } from '@app/issuance';
import { offerAggregate } from '@app/offers';
import { statusListAggregate } from '@app/status';
import { templateAggregate } from '@app/templates';
import { authorizationRequestAggregate } from '@app/verification';
import { webhookAggregate } from '@app/webhooks';

/** Registers how every kind of stream folds: all that the service registers, as a test compares. */
export function registerAggregates(store: EventStore): void {
  store.repository(templateAggregate);
  store.repository(statusListAggregate);
  store.repository(offerAggregate);
  store.repository(credentialAggregate);
  store.repository(authorizationRequestAggregate);
  store.repository(webhookAggregate);
}
