import { type CommitPosition, EventStore, followWhile, storedNameOf } from '@app/event-store';
import { outsideRequest } from '@app/http';
import { atStore, currentStore } from '@app/primitives/context';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

/** Milliseconds between two looks for new events; nobody looks while no page is open. */
const poll = 400;
const longestBackOff = 5_000;
const pageSize = 500;

/** One open page, and the streams that its state follows from. */
export class PageWatch {
  private streams: ReadonlySet<string> = new Set();
  private hasChanged = false;
  private wake: (() => void) | undefined;

  /** @param streams `category-id` */
  follow(streams: readonly string[]): void {
    this.streams = new Set(streams.map(storedNameOf));
  }

  note(changed: ReadonlySet<string>): void {
    if ([...this.streams].some((stream) => changed.has(stream))) this.end();
  }

  /** Ends the present wait, or the next one. */
  end(): void {
    this.hasChanged = true;
    this.wake?.();
  }

  /** Resolves when one of the streams has changed, or after so many milliseconds. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.hasChanged = false;
  }
}

/** Which streams have changed, for all open pages of this process. */
@Injectable()
export class StreamChanges implements OnModuleDestroy {
  private readonly readers = new Map<string | undefined, StoreChanges>();

  constructor(private readonly store: EventStore) {}

  /** Resolves when no change in the store at hand will be missed from now on. End it with {@link leave}. */
  join(watch: PageWatch): Promise<void> {
    const at = currentStore();
    const reader = this.readers.get(at) ?? new StoreChanges(this.store, at);
    this.readers.set(at, reader);
    return reader.join(watch);
  }

  leave(watch: PageWatch): void {
    for (const reader of this.readers.values()) reader.leave(watch);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.readers.values()].map((reader) => reader.end()));
  }
}

/** Of one store: one reader follows its end while there is an open page. */
class StoreChanges {
  private readonly logger = new Logger('StreamChanges');
  private readonly watches = new Set<PageWatch>();
  private following: Promise<void> | undefined;
  private head: CommitPosition | undefined;
  private readonly starts: (() => void)[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly at: string | undefined,
  ) {}

  async join(watch: PageWatch): Promise<void> {
    this.watches.add(watch);
    this.following ??= outsideRequest(() => atStore(this.at, () => this.follow()));
    if (!this.head) await new Promise<void>((resolve) => this.starts.push(resolve));
  }

  leave(watch: PageWatch): void {
    this.watches.delete(watch);
  }

  end(): Promise<void> {
    for (const watch of this.watches) watch.end();
    this.watches.clear();
    return this.following ?? Promise.resolve();
  }

  private follow(): Promise<void> {
    return followWhile({
      isWanted: () => this.watches.size > 0,
      look: () => this.lookForMore(),
      ...{ poll, longestBackOff },
      onFailure: (failed) => {
        this.logger.warn({ event: 'pages.retrying', ...failed });
      },
      onEnd: () => {
        this.head = undefined;
        this.following = undefined;
        for (const start of this.starts.splice(0)) start();
      },
    });
  }

  /** @returns whether there is more to read */
  private async lookForMore(): Promise<boolean> {
    if (!this.head) {
      this.head = await this.store.log.end();
      for (const start of this.starts.splice(0)) start();
    }
    const { streams, reached, isFull } = await this.store.log.changedStreams(this.head, pageSize);
    this.head = reached;
    for (const watch of this.watches) watch.note(streams);
    return isFull;
  }
}
