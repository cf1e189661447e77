import { noteSending } from '@app/access';
import type { PageQuery } from '@app/http';
import { Settings } from '@app/config';
import { STORE_DRIVER, type SqlDriver } from '@app/event-store';
import { OutboundClient } from '@app/outbound';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { type DeliveryPage, listDeliveries } from './delivery-log';
import type { DeliveryStatus } from './delivery-table';
import { type SentDelivery, sendTo } from './sender';
import { WEBHOOK_CLOCK, type WebhookClock } from './webhook-clock';
import { WebhookRecords } from './webhook-records';

/** Milliseconds for the answer to a test, whose caller waits for it. */
const patience = 5_000;

/** Sends an event that stands for no other, once. */
export class TestWebhook extends Command<SentDelivery> {
  constructor(readonly webhookId: string) {
    super();
  }
}

export class ListDeliveries extends Query<DeliveryPage> {
  constructor(
    readonly webhookId: string,
    readonly page: PageQuery,
    readonly status: DeliveryStatus | undefined,
  ) {
    super();
  }
}

@CommandHandler(TestWebhook)
export class TestWebhookHandler implements ICommandHandler<TestWebhook> {
  constructor(
    private readonly records: WebhookRecords,
    private readonly outbound: OutboundClient,
    private readonly settings: Settings,
    @Inject(WEBHOOK_CLOCK) private readonly clock: WebhookClock,
  ) {}

  async execute({ webhookId }: TestWebhook): Promise<SentDelivery> {
    const target = await this.records.anyTarget(webhookId);
    noteSending();
    const now = this.clock();
    const eventId = `test-${randomUUID()}`;
    const event = {
      specversion: '1.0',
      id: eventId,
      source: this.settings.applicationUrl,
      type: 'webhook.test',
      subject: `webhooks/${webhookId}`,
      time: now.toISOString(),
      datacontenttype: 'application/json',
      data: { webhookId },
    };
    const sent = await sendTo(
      this.outbound,
      target,
      { eventId, body: JSON.stringify(event) },
      { now, timeoutMs: patience },
    );
    if (sent) return sent;
    const detail = 'Too many requests to this webhook are under way; the test was not sent.';
    throw new Problem('unavailable', detail, [], { 'Retry-After': '2' });
  }
}

@QueryHandler(ListDeliveries)
export class ListDeliveriesHandler implements IQueryHandler<ListDeliveries> {
  constructor(
    private readonly records: WebhookRecords,
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
  ) {}

  async execute({ webhookId, page, status }: ListDeliveries): Promise<DeliveryPage> {
    await this.records.find(webhookId);
    return listDeliveries(this.driver, webhookId, { ...page, status });
  }
}
