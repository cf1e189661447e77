import type { PageQuery, Conditions } from '@app/http';
import { OutboundClient, secretText, OutboundError } from '@app/outbound';
import { plusDuration } from '@app/primitives/time';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomBytes, randomUUID } from 'node:crypto';
import { Problem } from '@app/primitives/problems';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  type EventFilter,
  rotateSecret,
  type WebhookContent,
  type WebhookStatus,
} from './webhook';
import { type StoredWebhook, type WebhookPage, WebhookRecords } from './webhook-records';

/** A webhook with a secret that is shown this once. */
export interface WebhookOnceShown extends StoredWebhook {
  readonly secret: string;
}

export class CreateWebhook extends Command<WebhookOnceShown> {
  /** @param secret `whsec_...`; a random one when absent */
  constructor(
    readonly url: string,
    readonly filter: EventFilter,
    readonly description?: string,
    readonly secret?: string,
  ) {
    super();
  }
}

/** What is to change; null clears. */
export interface WebhookChange {
  readonly url?: string;
  readonly types?: readonly string[];
  readonly subject?: string | null;
  readonly description?: string | null;
  readonly status?: WebhookStatus;
}

export class ChangeWebhook extends Command<StoredWebhook> {
  constructor(
    readonly webhookId: string,
    readonly change: WebhookChange,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

/** @param formerExpiresIn ISO 8601 duration */
export class RotateWebhookSecret extends Command<WebhookOnceShown> {
  constructor(
    readonly webhookId: string,
    readonly secret: string | undefined,
    readonly formerExpiresIn: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class DeleteWebhook extends Command<void> {
  constructor(
    readonly webhookId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class GetWebhook extends Query<StoredWebhook> {
  constructor(readonly webhookId: string) {
    super();
  }
}

export class ListWebhooks extends Query<WebhookPage> {
  constructor(readonly page: PageQuery) {
    super();
  }
}

@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(
    private readonly records: WebhookRecords,
    private readonly outbound: OutboundClient,
  ) {}

  async execute({ url, filter, description, secret = newSecret() }: CreateWebhook): Promise<WebhookOnceShown> {
    await assertAllowedUrl(this.outbound, url);
    const created = await this.records.create(randomUUID(), ({ seal }, now) => {
      const content = { ...filter, sealedUrl: seal('url', url), ...(description !== undefined && { description }) };
      return createWebhook(content, { sealed: seal('secret', secret) }, now.toISOString());
    });
    return { ...created, secret };
  }
}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(
    private readonly records: WebhookRecords,
    private readonly outbound: OutboundClient,
  ) {}

  async execute({ webhookId, change, conditions }: ChangeWebhook): Promise<StoredWebhook> {
    if (change.url !== undefined) await assertAllowedUrl(this.outbound, change.url);
    return this.records.change(webhookId, conditions, (stored, { seal }) => {
      const { url } = change;
      const sealedUrl = url === undefined || url === stored.url ? undefined : seal('url', url);
      const content = changedContent(stored.webhook.content, change, sealedUrl);
      return changeWebhook(stored.webhook, content, change.status, stored.readAt.toISOString());
    });
  }
}

@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(private readonly records: WebhookRecords) {}

  async execute(command: RotateWebhookSecret): Promise<WebhookOnceShown> {
    const { webhookId, secret = newSecret(), formerExpiresIn, conditions } = command;
    const changed = await this.records.change(webhookId, conditions, ({ webhook, readAt }, { seal }) => {
      const until = plusDuration(readAt, formerExpiresIn).toISOString();
      return rotateSecret(webhook, { sealed: seal('secret', secret) }, until);
    });
    return { ...changed, secret };
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(private readonly records: WebhookRecords) {}

  execute({ webhookId, conditions }: DeleteWebhook): Promise<void> {
    return this.records.delete(webhookId, conditions, deleteWebhook);
  }
}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(private readonly records: WebhookRecords) {}

  execute({ webhookId }: GetWebhook): Promise<StoredWebhook> {
    return this.records.find(webhookId);
  }
}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(private readonly records: WebhookRecords) {}

  execute({ page }: ListWebhooks): Promise<WebhookPage> {
    return this.records.list(page);
  }
}

/** 192 bits, as Standard Webhooks recommends at least. */
function newSecret(): string {
  return secretText(randomBytes(24));
}

/** @param sealedUrl of a new URL */
function changedContent(
  present: WebhookContent,
  { types = present.types, subject = present.subject, description = present.description }: WebhookChange,
  sealedUrl: string = present.sealedUrl,
): WebhookContent {
  return {
    sealedUrl,
    types,
    ...(typeof subject === 'string' && { subject }),
    ...(typeof description === 'string' && { description }),
  };
}

/** @throws Problem `webhook-url-not-allowed`, without what the name resolves to, so that hosts cannot be probed */
async function assertAllowedUrl(outbound: OutboundClient, url: string): Promise<void> {
  try {
    await outbound.assertReachable(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const detail =
      error.reason === 'invalid-url'
        ? `The URL of a webhook must be public: ${error.message}.`
        : 'The host of the URL has no public address.';
    throw new Problem('webhook-url-not-allowed', detail, [{ pointer: '/url', message: 'is not allowed' }]);
  }
}
