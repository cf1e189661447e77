import type { CommitPosition } from '@app/event-store';
import { setImmediate } from 'node:timers/promises';
import type { EventFeed, FeedPage } from './event-feed';
import { EventStream, type EventStreamOptions } from './event-stream';
import type { PublicEvent } from './public-event';

const at = (position: number): CommitPosition => ({ tx: String(position), position: String(position) });

function eventAt(position: number): PublicEvent {
  return {
    specversion: '1.0',
    id: String(position),
    source: 'https://issuer.example',
    type: 'offer.locked',
    subject: `offers/${position}`,
    time: '2027-01-02T03:04:05.678Z',
    datacontenttype: 'application/json',
    dataschema: 'urn:sealwright:event:offer.locked:1',
    data: { padding: 'x'.repeat(1_000) },
  };
}

/** A store with so many events, a page of ten of which is read at once. */
function feedOf(count: number) {
  const waiting: (() => void)[] = [];
  const feed = {
    pages: 0,
    waiting,
    after: async ({ position }: CommitPosition): Promise<FeedPage> => {
      feed.pages++;
      await setImmediate();
      const first = Number(position) + 1;
      const last = Math.min(first + 9, count);
      const events = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
        return { at: at(first + index), event: eventAt(first + index), tenant: '' };
      });
      return { events, reached: at(Math.max(last, Number(position))) };
    },
    changed: (_position: CommitPosition, _milliseconds: number, interrupt: (end: () => void) => void) =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        interrupt(resolve);
      }),
  };
  return feed;
}

function streamOf(feed: ReturnType<typeof feedOf>, options: Partial<EventStreamOptions> = {}): EventStream {
  return new EventStream(feed as unknown as EventFeed, {
    from: at(0),
    matches: () => true,
    heartbeat: 60_000,
    isStillAllowed: () => Promise.resolve(true),
    ...options,
  });
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
}

const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)\ndata: \{/gm)].map(([, id]) => Number(id));

describe('a stream of events', () => {
  it('reads no further while its client does not', async () => {
    const feed = feedOf(1_000);
    const stream = streamOf(feed);
    stream.read(0);
    await settled();
    const pages = feed.pages;
    expect(pages).toBeLessThan(10);
    await settled();
    expect(feed.pages).toBe(pages);
    let text = '';
    stream.on('data', (chunk: string) => (text += chunk));
    await settled();
    while (idsIn(text).length < 1_000) await settled();
    expect(idsIn(text)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    stream.destroy();
  });

  it('waits at the end of the store, and no longer than its client is there', async () => {
    const feed = feedOf(3);
    const stream = streamOf(feed).resume();
    await settled();
    expect(feed.waiting).toHaveLength(1);
    stream.destroy();
    await settled();
    expect(feed.pages).toBe(2);
    expect(stream.closed).toBe(true);
  });

  it('carries heartbeats with the id that was reached when nothing matches', async () => {
    const stream = streamOf(feedOf(1_000), { matches: () => false, heartbeat: 0 });
    let text = '';
    stream.on('data', (chunk: string) => (text += chunk));
    await settled();
    expect(text).toMatch(/^retry: 2000\nevent: heartbeat\nid: 0\ndata:\n\nevent: heartbeat\nid: 10\ndata:\n\n/);
    stream.destroy();
  });

  it('ends when its caller is allowed no longer', async () => {
    const stream = streamOf(feedOf(3), { heartbeat: 0, isStillAllowed: () => Promise.resolve(false) });
    let text = '';
    stream.on('data', (chunk: string) => (text += chunk));
    await settled();
    expect(stream.readableEnded).toBe(true);
    expect(idsIn(text)).toEqual([]);
  });
});
