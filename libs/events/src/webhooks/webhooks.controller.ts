import { type Answer, Implements, type Input, Resource, entityTag, created, HttpReply } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ListDeliveries, TestWebhook } from './delivery.handlers';
import { ReplayWebhook } from './replay.handler';
import { liveSecrets } from './webhook';
import type { StoredWebhook } from './webhook-records';
import { webhooks } from './webhooks.contract';
import {
  ChangeWebhook,
  CreateWebhook,
  DeleteWebhook,
  GetWebhook,
  ListWebhooks,
  RotateWebhookSecret,
} from './webhooks.handlers';

/** ISO 8601: how long a former secret signs when the caller does not say. */
const usualOverlap = 'P1D';

@Resource(webhooks)
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(webhooks.create)
  async create({ body }: Input<typeof webhooks.create>): Promise<HttpReply> {
    const { url, types = [], subject, description, secret } = body;
    const filter = { types, ...(subject !== undefined && { subject }) };
    const made = await this.commands.execute(new CreateWebhook(url, filter, description, secret));
    const {
      status,
      body: view,
      headers,
    } = created(`/v0/webhooks/${made.webhookId}`, {
      ...viewOf(made),
      secret: made.secret,
    });
    return new HttpReply(status, view, { ...headers, ETag: entityTag(made.version) });
  }

  @Implements(webhooks.list)
  async list({ query }: Input<typeof webhooks.list>): Promise<Answer<typeof webhooks.list>> {
    const { items, nextCursor } = await this.queries.execute(new ListWebhooks(query.page));
    return { items: items.map(viewOf), nextCursor };
  }

  @Implements(webhooks.get)
  async get({ params: { webhookId } }: Input<typeof webhooks.get>): Promise<HttpReply> {
    return reply(await this.queries.execute(new GetWebhook(webhookId)));
  }

  @Implements(webhooks.change)
  async change({ params: { webhookId }, body, conditions }: Input<typeof webhooks.change>): Promise<HttpReply> {
    return reply(await this.commands.execute(new ChangeWebhook(webhookId, body, conditions)));
  }

  @Implements(webhooks.delete)
  async delete({ params: { webhookId }, conditions }: Input<typeof webhooks.delete>): Promise<void> {
    await this.commands.execute(new DeleteWebhook(webhookId, conditions));
  }

  @Implements(webhooks.rotateSecret)
  async rotateSecret({
    params: { webhookId },
    body: { secret, formerExpiresIn = usualOverlap },
    conditions,
  }: Input<typeof webhooks.rotateSecret>): Promise<HttpReply> {
    const command = new RotateWebhookSecret(webhookId, secret, formerExpiresIn, conditions);
    const rotated = await this.commands.execute(command);
    return new HttpReply(200, { ...viewOf(rotated), secret: rotated.secret }, { ETag: entityTag(rotated.version) });
  }

  @Implements(webhooks.test)
  async test({ params: { webhookId } }: Input<typeof webhooks.test>): Promise<Answer<typeof webhooks.test>> {
    const { attempt, isSuccess } = await this.commands.execute(new TestWebhook(webhookId));
    return { outcome: isSuccess ? 'delivered' : 'failed', ...attempt };
  }

  @Implements(webhooks.deliveries)
  async deliveries({
    params: { webhookId },
    query,
  }: Input<typeof webhooks.deliveries>): Promise<Answer<typeof webhooks.deliveries>> {
    const page = await this.queries.execute(new ListDeliveries(webhookId, query.page, query.status));
    const items = page.items.map(({ scheduledAt, nextAttemptAt, log: attempts, ...delivery }) => ({
      ...delivery,
      scheduledAt: scheduledAt.toISOString(),
      nextAttemptAt: delivery.status === 'Pending' ? nextAttemptAt.toISOString() : null,
      attempts,
    }));
    return { items, nextCursor: page.nextCursor };
  }

  @Implements(webhooks.replay)
  async replay({ params: { webhookId }, body }: Input<typeof webhooks.replay>): Promise<void> {
    const { from, fromEvent } = body;
    await this.commands.execute(
      new ReplayWebhook(webhookId, from === undefined ? { fromEvent: fromEvent ?? '' } : { from: new Date(from) }),
    );
  }
}

function reply(stored: StoredWebhook): HttpReply {
  return new HttpReply(200, viewOf(stored), { ETag: entityTag(stored.version) });
}

function viewOf({ webhookId, webhook, url, readAt }: StoredWebhook): Answer<typeof webhooks.get> {
  const { content, status, pause, createdAt } = webhook;
  const { sealedUrl: _sealed, types, ...others } = content;
  const former = liveSecrets(webhook, readAt).at(1);
  return {
    webhookId,
    url,
    types,
    ...others,
    status,
    ...(pause && { pause }),
    formerSecretExpiresAt: former?.expiresAt ?? null,
    createdAt,
  };
}
