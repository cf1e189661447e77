import { Settings } from '@app/config';
import { networkOf, outsideRequest } from '@app/http';
import { currentStore, Tenants, Turns } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { StreamChanges, PageWatch } from './stream-changes';

/** Of one client at one replica, and of all. The public listener takes 10,000 connections. */
const most = { ofClient: 100, ofAll: 2_000 };
/** Milliseconds that browsers wait before they connect again. */
const reconnection = 3_000;
const afterFailure = 1_000;

/** The state that a page shows, and what it follows from. */
export interface PageState {
  readonly state: string;
  /** Nothing changes it any more. */
  readonly isFinal: boolean;
  /** `category-id` */
  readonly streams: readonly string[];
  /** Milliseconds after which it changes by itself, if it does. */
  readonly changesIn?: number | undefined;
}

/** Sends the states of open pages as server-sent events (WHATWG HTML §9.2): the name of the state and nothing else. */
@Injectable()
export class StateStreams {
  private readonly open = new Map<string, number>();
  private all = 0;
  /** Pages that all change at once leave the database to others. */
  private readonly turns = new Turns();

  constructor(
    private readonly changes: StreamChanges,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
  ) {}

  /**
   * @param address of the client
   * @param look reads the present state
   * @returns undefined when too many are open
   */
  openFor(address: string, look: () => Promise<PageState>): Readable | undefined {
    const client = networkOf(address);
    const own = this.open.get(client) ?? 0;
    if (own >= most.ofClient || this.all >= most.ofAll) return undefined;
    this.open.set(client, own + 1);
    this.all++;
    return outsideRequest(() => {
      const watch = new PageWatch();
      const stream = new Readable({
        encoding: 'utf8',
        read: () => undefined,
        destroy: (error, done) => {
          this.changes.leave(watch);
          watch.end();
          this.leave(client);
          done(error);
        },
      });
      void this.send(stream, watch, look);
      return stream;
    });
  }

  private leave(client: string): void {
    this.all--;
    const left = (this.open.get(client) ?? 1) - 1;
    if (left > 0) this.open.set(client, left);
    else this.open.delete(client);
  }

  /** So little that no client falls behind: the name of each state, and a comment where nothing happens. */
  private async send(stream: Readable, watch: PageWatch, look: () => Promise<PageState>): Promise<void> {
    // The client may close it while anything is awaited, which the compiler does not see.
    const isClosed = (): boolean => stream.destroyed;
    stream.push(`retry: ${reconnection}\n\n`);
    const heartbeat = this.settings.events.heartbeatSeconds * 1000;
    await this.changes.join(watch);
    let shown: string | undefined;
    while (!isClosed()) {
      const present = await this.turns
        .take(() => (isClosed() ? Promise.resolve(undefined) : look()))
        .catch(() => undefined);
      const isHere = await this.isTenantHere();
      if (isClosed()) break;
      if (!isHere) {
        // The page connects again, to where its tenant is now.
        stream.push(null);
        return;
      }
      if (present) watch.follow(present.streams);
      if (present && present.state !== shown) {
        shown = present.state;
        stream.push(`data: ${shown}\n\n`);
        if (present.isFinal) stream.push(null);
      } else {
        // It keeps proxies from ending the connection.
        stream.push(':\n\n');
      }
      if (present?.isFinal) return;
      await watch.wait(present ? Math.min(heartbeat, Math.max(100, present.changesIn ?? heartbeat)) : afterFailure);
    }
    // It may have been closed before it was joined.
    this.changes.leave(watch);
  }

  /** Whether the tenant at hand, if any, is still in the store at hand. */
  private isTenantHere(): Promise<boolean> {
    const here = currentStore();
    return this.tenants.present().then(
      (tenant) => tenant?.store === here,
      () => true,
    );
  }
}
