import {
  type Aggregate,
  aggregateOf,
  type DomainEvent,
  type Erasable,
  erasePersonalData,
  type EventStore,
  idOf,
  markOf,
  type PersonalDataErased,
} from '@app/event-store';
import { inTenant } from '@app/primitives/context';
import { approvalAggregate } from '@app/approvals';
import { authorizationAggregate } from '@app/authorization';
import { importAggregate } from '@app/imports';
import { credentialAggregate } from '@app/issuance';
import { offerAggregate } from '@app/offers';
import { storedCertificateAggregate } from '@app/registration';
import { movedStatusTables, statusListAggregate, statusListSubscription } from '@app/status';
import { movedImages, templateAggregate } from '@app/templates';
import { type MovedContent, tenantAggregate } from '@app/tenants';
import { authorizationRequestAggregate } from '@app/verification';
import { movedWebhookTables, webhookAggregate, webhookSubscription } from '@app/events';
import { CommandFailure } from './failure';
import { tenantOfMark } from './tenant';

/** Registers how every kind of stream folds: all that the service registers, as a test compares. */
export function registerAggregates(store: EventStore): void {
  store.repository(approvalAggregate);
  store.repository(templateAggregate);
  store.repository(storedCertificateAggregate);
  store.repository(statusListAggregate);
  store.repository(offerAggregate);
  store.repository(credentialAggregate);
  store.repository(importAggregate);
  store.repository(authorizationAggregate);
  store.repository(authorizationRequestAggregate);
  store.repository(webhookAggregate);
  store.repository(tenantAggregate);
}

/** What moves with a tenant. */
export function movedContent({ categories }: Pick<EventStore, 'categories'>): MovedContent {
  return {
    categories,
    tables: [...movedStatusTables, ...movedWebhookTables, movedImages],
    subscriptions: [statusListSubscription, webhookSubscription],
  };
}

/**
 * Erases the personal data of streams once more, in a store with nothing registered. What it returns takes the name of a stream in the
 * store, also of a tenant, and rejects one that this release does not know.
 */
export function eraserOf(store: EventStore): (streamId: string) => Promise<void> {
  const erasers = new Map([
    eraserIn(store, credentialAggregate),
    eraserIn(store, importAggregate),
    eraserIn(store, approvalAggregate),
    eraserIn(store, offerAggregate),
    eraserIn(store, authorizationAggregate),
    eraserIn(store, authorizationRequestAggregate),
  ]);
  return async (streamId) => {
    const erase = erasers.get(aggregateOf(streamId));
    if (!erase) throw new CommandFailure(`This release does not know how to erase ${streamId}.`);
    await inTenant(tenantOfMark(markOf(streamId)), () => erase(idOf(streamId)));
  };
}

function eraserIn<S extends Erasable, E extends DomainEvent>(
  store: EventStore,
  aggregate: Aggregate<S, E | PersonalDataErased>,
): [category: string, erase: (id: string) => Promise<void>] {
  const { category } = aggregate;
  const streams = store.repository(aggregate);
  const erase = (id: string): Promise<void> =>
    store.transact(async () => {
      await streams.update(id, ({ state, now }) => (state ? erasePersonalData(state, 'replay', now) : []));
      await store.destroyDataKey(category, id);
    });
  return [category, erase];
}
