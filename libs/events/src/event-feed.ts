import { Settings } from '@app/config';
import { type CommitPosition, type EventPage, EventStore, followWhile, isBehind } from '@app/event-store';
import { Metrics } from '@app/observability';
import { outsideRequest } from '@app/http';
import { atStore, currentStore, Tenants, Turns } from '@app/primitives/context';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type PublicEvent, publicEventOf, publishedStoredTypes } from './public-event';

/** Milliseconds between two looks for new events. */
const poll = 150;
const longestBackOff = 1_000;
const pageSize = 200;
/** So many of the last events are kept for all listeners of this process. */
const mostRecent = 2_000;

export interface FedEvent {
  readonly at: CommitPosition;
  readonly event: PublicEvent;
  /** The mark of the tenant that it is of; empty for the issuer of the settings. */
  readonly tenant: string;
}

export interface FeedPage {
  readonly events: readonly FedEvent[];
  /** How far the store was read for them; the next page begins behind it. */
  readonly reached: CommitPosition;
}

/** What one process knows of the end of the store. */
interface Tail {
  /** In front of the first of the recent events. */
  readonly start: CommitPosition;
  readonly head: CommitPosition;
  readonly recent: readonly FedEvent[];
}

/**
 * The published events of the store at hand for all listeners of this process. One reader follows the end of the store while somebody listens; a
 * listener that is further behind reads pages of its own, in turn with the others.
 */
@Injectable()
export class EventFeed implements OnModuleInit {
  private readonly logger = new Logger('EventFeed');
  private readonly waiting = new Set<() => void>();
  private listeners = 0;
  private tail: Tail | undefined;
  private following: Promise<void> | undefined;
  private readonly turns = new Turns();
  private readonly at = currentStore();

  constructor(
    private readonly store: EventStore,
    private readonly settings: Settings,
    private readonly metrics: Metrics,
    private readonly tenants: Tenants,
  ) {}

  onModuleInit(): void {
    this.metrics.readEventStreams(() => this.listeners);
    this.store.addLags(async () => [['event-streams', this.tail ? await this.store.log.lag(this.tail.head) : 0]]);
  }

  /** Somebody listens, until the returned function is called. */
  join(): () => void {
    this.listeners++;
    this.following ??= outsideRequest(() => atStore(this.at, () => this.follow()));
    return () => {
      this.listeners--;
    };
  }

  /** What comes behind a position; an empty page that has reached nothing new at the end of the store. */
  async after(position: CommitPosition, isWanted: () => boolean): Promise<FeedPage> {
    const { tail } = this;
    if (tail && !isBehind(position, tail.start)) return pageOf(tail, position);
    const page = await this.turns.take(async () => (isWanted() ? this.read(position) : undefined));
    return page ? { events: await this.published(page), reached: page.reached } : { events: [], reached: position };
  }

  /** Resolves when there is more, or after so many milliseconds. @param interrupt receives what ends it at once */
  changed(position: CommitPosition, milliseconds: number, interrupt: (end: () => void) => void): Promise<void> {
    if (this.tail && isBehind(position, this.tail.head)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.waiting.add(end);
      interrupt(end);
    });
  }

  private follow(): Promise<void> {
    return followWhile({
      isWanted: () => this.listeners > 0,
      look: () => this.lookForMore(),
      ...{ poll, longestBackOff },
      onFailure: (failed) => {
        this.logger.warn({ event: 'event-streams.retrying', ...failed });
      },
      onEnd: () => {
        this.tail = undefined;
        this.following = undefined;
      },
    });
  }

  /** @returns whether there is more to read */
  private async lookForMore(): Promise<boolean> {
    if (!this.tail) {
      const end = await this.store.log.end();
      this.tail = { start: end, head: end, recent: [] };
      // A listener may have looked before the last of these events was stored.
      this.wake();
    }
    const page = await this.read(this.tail.head);
    if (!isBehind(this.tail.head, page.reached)) return false;
    this.tail = withRecent(this.tail, await this.published(page), page.reached);
    this.wake();
    return page.isFull;
  }

  private wake(): void {
    for (const end of [...this.waiting]) end();
  }

  private read(after: CommitPosition): Promise<EventPage> {
    return atStore(this.at, () => this.store.log.read(after, { limit: pageSize, types: publishedStoredTypes }));
  }

  private async published({ events }: EventPage): Promise<FedEvent[]> {
    const made: FedEvent[] = [];
    for (const { at, stored } of events) {
      const { tenant } = stored;
      const source = await this.tenants.as(tenant, () => Promise.resolve(this.settings.applicationUrl));
      const event = publicEventOf(stored, source);
      if (event) made.push({ at, event, tenant });
    }
    return made;
  }
}

function withRecent({ start, recent }: Tail, added: readonly FedEvent[], head: CommitPosition): Tail {
  const all = [...recent, ...added];
  const forgotten = all.length - mostRecent;
  const last = all[forgotten - 1];
  return { start: last?.at ?? start, head, recent: forgotten > 0 ? all.slice(forgotten) : all };
}

function pageOf({ recent, head }: Tail, position: CommitPosition): FeedPage {
  // The position may be further than this process has read: another one has given it out.
  if (!isBehind(position, head)) return { events: [], reached: position };
  let [low, high] = [0, recent.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = recent[middle];
    if (one && !isBehind(position, one.at)) low = middle + 1;
    else high = middle;
  }
  const events = recent.slice(low, low + pageSize);
  const last = events.at(-1);
  return { events, reached: last && low + pageSize < recent.length ? last.at : head };
}
