import { type PageQuery, assertConditions, type Conditions, versionConflict } from '@app/http';
import { ConflictError, EventStore, type Loaded, Repository } from '@app/event-store';
import { secretBytes } from '@app/outbound';
import { Problem } from '@app/primitives/problems';
import { Inject, Injectable } from '@nestjs/common';
import type { Target } from './sender';
import {
  live,
  liveSecrets,
  type LiveWebhook,
  type Webhook,
  webhookAggregate,
  type WebhookEvent,
  WEBHOOKS,
} from './webhook';
import { type WebhookSeal, WebhookSeals } from './webhook-seals';

/** How many webhooks there may be: each public event is matched with all of them. */
export const mostWebhooks = 100;

/** A webhook with the version of its stream, which is its entity tag. */
export interface StoredWebhook {
  readonly webhookId: string;
  readonly webhook: LiveWebhook;
  readonly url: string;
  readonly version: number;
  /** The database's clock when it was read. */
  readonly readAt: Date;
}

export interface WebhookPage {
  readonly items: readonly StoredWebhook[];
  readonly nextCursor: string | null;
}

type Decide = (stored: StoredWebhook, seal: WebhookSeal) => WebhookEvent[];

/** Webhooks that are not deleted. */
@Injectable()
export class WebhookRecords {
  constructor(
    @Inject(WEBHOOKS) private readonly webhooks: Repository<Webhook, WebhookEvent>,
    private readonly seals: WebhookSeals,
    private readonly store: EventStore,
  ) {}

  /** @throws Problem `webhook-not-found` */
  async find(webhookId: string): Promise<StoredWebhook> {
    return this.stored(webhookId, await this.webhooks.load(webhookId));
  }

  async list({ limit, cursor }: PageQuery): Promise<WebhookPage> {
    const query = { limit, ...(cursor !== undefined && { cursor }), where: { listed: 'yes' } };
    const { items, nextCursor } = await this.webhooks.list(query);
    // Their URLs are sealed under keys of their own. One that was deleted meanwhile is left out.
    const loaded = await Promise.all(items.map(async ({ id }) => [id, await this.webhooks.load(id)] as const));
    const present = loaded.filter(([, { state }]) => state !== undefined && state.status !== 'Deleted');
    return { items: await Promise.all(present.map(([id, one]) => this.stored(id, one))), nextCursor };
  }

  /** Where to send, and what signs at this moment; `undefined` while it is paused, and when it was deleted. */
  async target(webhookId: string): Promise<Target | undefined> {
    const loaded = await this.webhooks.load(webhookId);
    return loaded.state?.status === 'Enabled' ? this.targetOf(webhookId, loaded.state, loaded) : undefined;
  }

  /** The same whether it is paused or not. @throws Problem `webhook-not-found` */
  async anyTarget(webhookId: string): Promise<Target> {
    const loaded = await this.webhooks.load(webhookId);
    return this.targetOf(webhookId, live(loaded.state, webhookId), loaded);
  }

  /** @param decide the events, from what seals for this webhook. @throws Problem `conflict` when there are too many */
  async create(webhookId: string, decide: (seal: WebhookSeal, now: Date) => WebhookEvent[]): Promise<StoredWebhook> {
    const { items } = await this.webhooks.list({ limit: mostWebhooks, where: { listed: 'yes' } });
    if (items.length >= mostWebhooks) {
      throw new Problem('conflict', `There are ${mostWebhooks} webhooks already; delete one that is not needed.`);
    }
    const now = this.store.clock();
    const { wrapped, made: events } = await this.seals.withNewKey(webhookId, (seal) => decide(seal, now));
    const decision = { events, dataKey: wrapped, result: undefined };
    return this.stored(webhookId, await this.webhooks.update(webhookId, () => decision));
  }

  /**
   * Decides once and never again on what came after: of two portals that change one webhook at the same time one is
   * refused. Throws `version-conflict` when that one had named a version, else `ConflictError`.
   */
  async change(webhookId: string, conditions: Conditions, decide: Decide): Promise<StoredWebhook> {
    const changed = await this.decideOnce(webhookId, conditions, async (loaded) => {
      const stored = await this.stored(webhookId, loaded);
      assertConditions(conditions, loaded.version);
      return this.seals.withKey(webhookId, loaded.dataKey, (seal) => decide(stored, seal));
    });
    return this.stored(webhookId, changed);
  }

  /** Its secrets and its URL can never be read again. */
  async delete(webhookId: string, conditions: Conditions, decide: () => WebhookEvent[]): Promise<void> {
    await this.store.transact(async () => {
      await this.decideOnce(webhookId, conditions, ({ state, version }) => {
        live(state, webhookId);
        assertConditions(conditions, version);
        return decide();
      });
      await this.store.destroyDataKey(webhookAggregate.category, webhookId);
    });
  }

  /** What the service itself decides about one. */
  async decide(webhookId: string, decide: (webhook: Webhook | undefined) => WebhookEvent[]): Promise<void> {
    await this.webhooks.update(webhookId, ({ state }) => decide(state));
  }

  private async decideOnce(
    webhookId: string,
    conditions: Conditions,
    decide: (loaded: Loaded<Webhook>) => WebhookEvent[] | Promise<WebhookEvent[]>,
  ): Promise<Loaded<Webhook>> {
    try {
      return await this.webhooks.update(webhookId, decide, { attempts: 1 });
    } catch (error) {
      if (error instanceof ConflictError && conditions.match !== undefined) throw versionConflict();
      throw error;
    }
  }

  private async stored(webhookId: string, loaded: Loaded<Webhook>): Promise<StoredWebhook> {
    const webhook = live(loaded.state, webhookId);
    const { sealedUrl } = webhook.content;
    const url = await this.seals.withKey(webhookId, loaded.dataKey, ({ open }) => open('url', sealedUrl));
    return { webhookId, webhook, url, version: loaded.version, readAt: loaded.now };
  }

  private targetOf(webhookId: string, webhook: LiveWebhook, { dataKey, now }: Loaded<Webhook>): Promise<Target> {
    const secrets = liveSecrets(webhook, now);
    return this.seals.withKey(webhookId, dataKey, ({ open }) => ({
      webhookId,
      url: open('url', webhook.content.sealedUrl),
      secrets: secrets.map(({ sealed }) => secretBytes(open('secret', sealed))),
    }));
  }
}
