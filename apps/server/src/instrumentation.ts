import { DueErasures, EventStore, SQL_DRIVER, type SqlDriver, Stores } from '@app/event-store';
import { KeyRing } from '@app/keys';
import { Metrics } from '@app/observability';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';

/** Connects the store and the keys with the metrics, so that neither knows the other. */
@Injectable()
export class Instrumentation implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly store: EventStore,
    private readonly keys: KeyRing,
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
    private readonly erasures: DueErasures,
    private readonly stores: Stores,
  ) {}

  onModuleInit(): void {
    const { metrics, store, keys, driver, erasures, stores } = this;
    store.observe((outcome, seconds, streams) => {
      metrics.appended(outcome, seconds);
      metrics.stored(streams);
    });
    keys.observe((algorithm, seconds) => {
      metrics.signed(algorithm, seconds);
    });
    keys.observeProviders((signer, algorithm, outcome, seconds) => {
      metrics.signerAsked(signer, algorithm, outcome, seconds);
    });
    metrics.readFailingSigners(() => keys.provided.failing);
    metrics.readSignerCalls(() => keys.provided.calls);
    keys.observeAltered(() => {
      metrics.rowAltered('key_store');
    });
    metrics.readConnections(() => driver.connections?.());
    metrics.readBacklog(() => store.backlog());
    metrics.readSubscriptionLags(() => store.subscriptionLags());
    metrics.readStores(() => stores.answering());
    metrics.readErasuresOverdue(() => erasures.overdue());
  }
}
