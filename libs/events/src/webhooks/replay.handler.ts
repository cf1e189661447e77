import { noteSending } from '@app/access';
import { Settings } from '@app/config';
import { EventStore, STORE_DRIVER, type SqlDriver } from '@app/event-store';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { beginReplay } from './begin-replay';
import { Deliverers } from './deliverers';
import type { ReplayFrom } from './replay-start';
import { WebhookRecords } from './webhook-records';

/** Sends events again, in the background. */
export class ReplayWebhook extends Command<void> {
  constructor(
    readonly webhookId: string,
    readonly start: ReplayFrom,
  ) {
    super();
  }
}

@CommandHandler(ReplayWebhook)
export class ReplayWebhookHandler implements ICommandHandler<ReplayWebhook> {
  constructor(
    private readonly records: WebhookRecords,
    private readonly store: EventStore,
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
    private readonly settings: Settings,
    private readonly deliverers: Deliverers,
  ) {}

  async execute({ webhookId, start }: ReplayWebhook): Promise<void> {
    await this.records.find(webhookId);
    const { retentionDays } = this.settings.webhooks;
    await beginReplay(this.driver, this.store, webhookId, start, retentionDays);
    noteSending();
    this.deliverers.wake();
  }
}
