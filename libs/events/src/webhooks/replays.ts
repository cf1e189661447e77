import { currentMark } from '@app/primitives/context';
import { Settings } from '@app/config';
import { type CommitPosition, EventStore, isBehind, Repository, type SqlExecutor } from '@app/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { type PublicEvent, publicEventOf, publishedStoredTypes } from '../public-event';
import { DeliveryTable } from './delivery-table';
import { type EventFilter, type Webhook, type WebhookEvent, WEBHOOKS } from './webhook';
import { ReplayTable } from './replay-table';

const pageSize = 200;

/** Sends events again: page by page, each when the one before has been sent. */
@Injectable()
export class Replays {
  constructor(
    private readonly store: EventStore,
    private readonly settings: Settings,
    @Inject(WEBHOOKS) private readonly webhooks: Repository<Webhook, WebhookEvent>,
  ) {}

  /**
   * Schedules the next page, by the present filter of the webhook. Only for who has its lock.
   * @returns whether there was a replay under way
   */
  async goOn(webhookId: string, executor: SqlExecutor): Promise<boolean> {
    const table = new ReplayTable(executor);
    const replay = await table.find(webhookId);
    if (!replay) return false;
    const { state } = await this.webhooks.load(webhookId);
    const page = await this.store.log.read(replay.at, { limit: pageSize, types: publishedStoredTypes }, executor);
    const events = page.events.flatMap(({ stored }) =>
      stored.tenant === currentMark() ? (publicEventOf(stored, this.settings.applicationUrl) ?? []) : [],
    );
    const filter = state?.status === 'Deleted' ? undefined : state?.content;
    const wanted = events.filter((event) => filter && isWanted(event, filter));
    await new DeliveryTable(executor).schedule(webhookId, wanted, this.store.clock());
    await table.advance(webhookId, page.reached);
    if (!page.isFull && (await this.isAtEnd(page.reached, replay.lastPosition))) {
      await table.end(webhookId, replay.lastPosition);
    }
    return true;
  }

  private async isAtEnd(reached: CommitPosition, lastPosition: string): Promise<boolean> {
    const last = await this.store.log.find(lastPosition);
    return !last || !isBehind(reached, last);
  }
}

function isWanted({ type, subject }: PublicEvent, filter: EventFilter): boolean {
  const isOfType = filter.types.length === 0 || filter.types.includes(type);
  return isOfType && (filter.subject === undefined || filter.subject === subject);
}
