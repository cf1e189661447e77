import { Settings } from '@app/config';
import { EventStore, STORE_DRIVER, type SqlDriver } from '@app/event-store';
import { Housekeeping } from '@app/operation';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DeliveryTable } from './delivery-table';
import { deliveryHorizon } from './delivery-horizon';

/** Has the housekeeping remove old deliveries. */
@Injectable()
export class DeliveryRetention implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly store: EventStore,
    private readonly settings: Settings,
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
  ) {}

  onModuleInit(): void {
    const table = new DeliveryTable(this.driver);
    this.housekeeping.alsoRemove(() =>
      table.removeOld(deliveryHorizon(this.store.clock(), this.settings.webhooks.retentionDays)),
    );
  }
}
