import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Housekeeping } from '@app/operation';
import { Tenants } from '@app/primitives/context';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OfferDeliveryTable } from './offer-delivery-table';

const day = 24 * 60 * 60 * 1000;

/** Has old rows removed, and those of tenants that end. Shows what waits whenever metrics are read. */
@Injectable()
export class MailHousekeeping implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly store: EventStore,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
    private readonly table: OfferDeliveryTable,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.housekeeping.alsoRemove(() =>
      this.table.removeOld(new Date(this.store.clock().getTime() - this.settings.mail.retentionDays * day)),
    );
    this.metrics.readMails(async () => {
      const since = this.settings.mail.host === '' ? undefined : await this.table.waitingSince();
      return since ? Math.max(0, this.store.clock().getTime() - since.getTime()) / 1000 : 0;
    });
    this.tenants.endWith(() => this.table.removeAll());
  }
}
