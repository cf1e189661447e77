import { currentMark, currentStore, ofTenant, type Tenant, Tenants } from '@app/primitives/context';
import { Settings } from '@app/config';
import { type CommitPosition, EventStore, firstPosition, Stores } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Problem } from '@app/primitives/problems';
import { currentPrincipal, currentRequestState, outsideRequest, standingOfTenant } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { EventFeed, type FedEvent } from './event-feed';
import { EventStream } from './event-stream';
import { isEventId } from './events.contract';

/** Of one client at one replica, and of all. The management listener takes 1,000 connections. */
const most = { ofClient: 20, ofAll: 500 };
const retryAfter = { 'Retry-After': '10' };

export interface EventSelection {
  /** The id of the event in front of the first; from now on when absent. */
  readonly after: string | undefined;
  readonly types: ReadonlySet<string> | undefined;
  readonly subject: string | undefined;
}

/** Opens streams of events, not more of them than a process can serve. */
@Injectable()
export class EventStreams {
  private readonly open = new Map<string, number>();

  private readonly feed: () => EventFeed;

  constructor(
    private readonly store: EventStore,
    feed: EventFeed,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
    metrics: Metrics,
    stores: Stores,
  ) {
    this.feed = stores.objects(feed, () => new EventFeed(store, settings, metrics, tenants));
  }

  /** For the caller of the current request. Throws `event-not-found` or `too-many-event-streams`. */
  async openFor({ after, types, subject }: EventSelection): Promise<Readable> {
    const isStillAllowed = currentRequestState()?.isStillAllowed;
    const mark = currentMark();
    const feed = this.feed();
    const at = currentStore();
    const leave = this.enter(ofTenant(currentPrincipal()?.client ?? ''));
    try {
      const from = after === undefined ? await this.store.log.end() : await this.positionOf(after);
      return outsideRequest(() => {
        const matches = ({ event, tenant }: FedEvent): boolean =>
          tenant === mark &&
          (types === undefined || types.has(event.type)) &&
          (subject === undefined || subject === event.subject);
        const stream = new EventStream(feed, {
          from,
          matches,
          heartbeat: this.settings.events.heartbeatSeconds * 1000,
          isStillAllowed: async () =>
            maySee(await this.tenants.present(), at) && ((await isStillAllowed?.('events:read')) ?? false),
        });
        const part = feed.join();
        stream.once('close', () => {
          part();
          leave();
        });
        return stream;
      });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Counts a stream of this client. @returns counts it no longer */
  private enter(client: string): () => void {
    const own = this.open.get(client) ?? 0;
    const all = [...this.open.values()].reduce((sum, each) => sum + each, 0);
    if (own >= most.ofClient) {
      const detail = `This client has ${own} open streams at this replica, which is the most it may have.`;
      throw new Problem('too-many-event-streams', detail, [], retryAfter);
    }
    if (all >= most.ofAll) {
      throw new Problem('too-many-event-streams', `This replica has ${all} open streams.`, [], retryAfter);
    }
    this.open.set(client, own + 1);
    return () => {
      const left = (this.open.get(client) ?? 1) - 1;
      if (left > 0) this.open.set(client, left);
      else this.open.delete(client);
    };
  }

  private async positionOf(id: string): Promise<CommitPosition> {
    if (!isEventId(id)) throw new Problem('event-not-found', 'Last-Event-ID is not the id of an event.');
    if (id === firstPosition.position) return firstPosition;
    const found = await this.store.log.find(await this.store.presentPosition(id));
    // A heartbeat may have the id of an event of another tenant: it is a place, behind which a tenant gets its own.
    if (!found) throw new Problem('event-not-found', `This service has stored no event with the id ${id}.`);
    return found;
  }
}

/** Streams of a tenant that moves end: they go on where it is then. */
function maySee(tenant: Tenant | undefined, at: string | undefined): boolean {
  return standingOfTenant(tenant)?.suspended !== 'all' && tenant?.store === at;
}
