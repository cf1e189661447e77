import { type CommitPosition, isBehind } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventFeed, FedEvent } from './event-feed';
import type { PublicEvent } from './public-event';

/** Milliseconds that clients wait before they connect again. */
const reconnection = 2_000;
const afterFailure = 500;

export interface EventStreamOptions {
  readonly from: CommitPosition;
  readonly matches: (fed: FedEvent) => boolean;
  /** Milliseconds without an event. */
  readonly heartbeat: number;
  /** Asked at each heartbeat's time, whether there is one or not. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/**
 * Server-sent events (WHATWG HTML §9.2), read from the feed as fast as the client takes them and no faster: a slow client
 * costs one page of memory. Heartbeats have the id that was reached, so that a stream that matches little is resumed where it was.
 */
export class EventStream extends Readable {
  private readonly logger = new Logger('EventStream');
  private at: CommitPosition;
  private isWanted = false;
  private isFilling = false;
  private sentAt = performance.now();
  private checkedAt = performance.now();
  private endWait: (() => void) | undefined;

  constructor(
    private readonly feed: EventFeed,
    private readonly options: EventStreamOptions,
  ) {
    super({ encoding: 'utf8' });
    this.at = options.from;
    this.push(`retry: ${reconnection}\n${heartbeatAt(this.at)}`);
  }

  override _read(): void {
    this.isWanted = true;
    if (!this.isFilling) void this.fill();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.endWait?.();
    callback(error);
  }

  /** Until the client has enough for now. */
  private async fill(): Promise<void> {
    this.isFilling = true;
    while (this.isWanted && !this.destroyed) {
      try {
        if (await this.isRevoked()) {
          this.push(null);
          return;
        }
        const text = await this.next();
        if (text === undefined || this.isGone()) continue;
        this.send(text);
      } catch (error) {
        this.logger.debug({ event: 'event-stream.retrying', reason: error instanceof Error ? error.name : 'unknown' });
        await delay(afterFailure);
        if (this.isDue(this.sentAt)) this.send(heartbeatAt(this.at));
      }
    }
    this.isFilling = false;
  }

  private send(text: string): void {
    this.sentAt = performance.now();
    // The client may ask for more within the call.
    this.isWanted = false;
    if (this.push(text)) this.isWanted = true;
  }

  private async next(): Promise<string | undefined> {
    const { events, reached } = await this.feed.after(this.at, () => !this.destroyed);
    const hasMoved = isBehind(this.at, reached);
    this.at = reached;
    const wanted = events.filter((fed) => this.options.matches(fed));
    if (wanted.length > 0) return wanted.map(({ event }) => rendered(event)).join('');
    if (this.isDue(this.sentAt)) return heartbeatAt(this.at);
    if (!hasMoved && !this.destroyed) {
      const milliseconds = Math.max(0, this.options.heartbeat - (performance.now() - this.sentAt));
      await this.feed.changed(this.at, milliseconds, (end) => (this.endWait = end));
    }
    return undefined;
  }

  private async isRevoked(): Promise<boolean> {
    if (!this.isDue(this.checkedAt)) return false;
    const isAllowed = await this.options.isStillAllowed();
    this.checkedAt = performance.now();
    return !isAllowed;
  }

  private isDue(since: number): boolean {
    return performance.now() - since >= this.options.heartbeat;
  }

  private isGone(): boolean {
    return this.destroyed;
  }
}

function rendered(event: PublicEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Of a type of its own, because clients take over no id from a block without data; what listens for messages ignores it. */
function heartbeatAt({ position }: CommitPosition): string {
  return `event: heartbeat\nid: ${position}\ndata:\n\n`;
}
