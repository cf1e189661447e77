import type { Aggregate, DomainEvent, EventStore } from '@app/event-store';
import { publications } from '@app/events/src/public-event';
import { registerAggregates } from '../../apps/cli/src/aggregates';

describe('events for others', () => {
  // Which of the types of a stream are published is a complete record, which the compiler checks.
  it('are decided on for every kind of stream', () => {
    const registered: string[] = [];
    const store = {
      repository: ({ category }: Aggregate<unknown, DomainEvent>) => registered.push(category),
    } as unknown as EventStore;
    registerAggregates(store);
    // Webhooks are how others get events, and tenants are the operator's: what becomes of one is in the audit. Of an import, offers are told of.
    const published = registered.filter((category) => !['webhook', 'tenant', 'import'].includes(category));
    expect(publications.map(({ category }) => category).sort()).toEqual(published.sort());
  });

  it('are named after what they are about', () => {
    for (const { types } of publications) {
      for (const type of Object.values(types)) {
        if (type !== null)
          expect(type).toMatch(/^(approval|offer|authorization|credential|presentation|template)\.[a-z]+$/);
      }
    }
  });
});
