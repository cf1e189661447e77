import { EventStore } from '@app/event-store';
import { OperationModule } from '@app/operation';
import { Module } from '@nestjs/common';
import { ListDeliveriesHandler, TestWebhookHandler } from './delivery.handlers';
import { Deliverer } from './deliverer';
import { Deliverers } from './deliverers';
import { DeliveryRetention } from './delivery-retention';
import { DeliveryDispatch } from './delivery-dispatch';
import { ReplayWebhookHandler } from './replay.handler';
import { Replays } from './replays';
import { webhookAggregate, WEBHOOKS } from './webhook';
import { WEBHOOK_CLOCK } from './webhook-clock';
import { WebhookMetrics } from './webhook-metrics';
import { WebhookRecords } from './webhook-records';
import { WebhookSeals } from './webhook-seals';
import { WebhooksController } from './webhooks.controller';
import {
  ChangeWebhookHandler,
  CreateWebhookHandler,
  DeleteWebhookHandler,
  GetWebhookHandler,
  ListWebhooksHandler,
  RotateWebhookSecretHandler,
} from './webhooks.handlers';

@Module({
  imports: [OperationModule],
  controllers: [WebhooksController],
  providers: [
    { provide: WEBHOOKS, inject: [EventStore], useFactory: (store: EventStore) => store.repository(webhookAggregate) },
    { provide: WEBHOOK_CLOCK, inject: [EventStore], useFactory: (store: EventStore) => () => store.clock() },
    WebhookSeals,
    WebhookRecords,
    Replays,
    Deliverer,
    ReplayWebhookHandler,
    Deliverers,
    DeliveryDispatch,
    DeliveryRetention,
    WebhookMetrics,
    CreateWebhookHandler,
    ChangeWebhookHandler,
    RotateWebhookSecretHandler,
    DeleteWebhookHandler,
    GetWebhookHandler,
    ListWebhooksHandler,
    TestWebhookHandler,
    ListDeliveriesHandler,
  ],
})
export class WebhooksModule {}
