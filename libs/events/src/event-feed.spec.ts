import { Tenants } from '@app/primitives/context';
import type { Settings } from '@app/config';
import type { CommitPosition, EventPage, EventStore, PlacedEvent } from '@app/event-store';
import type { Metrics } from '@app/observability';
import { EventFeed } from './event-feed';

const at = (position: number): CommitPosition => ({ tx: String(position), position: String(position) });

/** A store whose end is where it is set. */
function storeEndingAt(first: number) {
  const log = {
    last: first,
    end: () => Promise.resolve(at(log.last)),
    read: (after: CommitPosition): Promise<EventPage> => {
      const begin = Number(after.position) + 1;
      const positions = Array.from({ length: Math.max(0, log.last - begin + 1) }, (_, index) => begin + index);
      return Promise.resolve({
        events: positions.map((each) => ({
          at: at(each),
          stored: {
            ...{
              category: 'template',
              tenant: '',
              id: 'diploma',
              version: each,
              position: String(each),
              metadata: {},
              terms: {},
            },
            ...{ recordedAt: new Date('2027-01-02T03:04:05.678Z'), event: { type: 'TemplateArchived' } },
          } as unknown as PlacedEvent['stored'],
        })),
        reached: at(Math.max(log.last, begin - 1)),
        isFull: false,
      });
    },
  };
  return log;
}

describe('the feed of events', () => {
  it('wakes a listener for what was stored between its own look and the first one of the reader for all', async () => {
    const log = storeEndingAt(4);
    const feed = new EventFeed(
      { log } as unknown as EventStore,
      { applicationUrl: 'https://issuer.example' } as Settings,
      {} as Metrics,
      new Tenants(),
    );
    expect((await feed.after(at(4), () => true)).events).toEqual([]);
    const woken = feed.changed(at(4), 3_600_000, () => undefined);
    log.last = 5;
    const leave = feed.join();
    await woken;
    leave();
    expect((await feed.after(at(4), () => true)).events.map(({ event }) => event.id)).toEqual(['5']);
  });
});
