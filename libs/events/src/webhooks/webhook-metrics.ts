import { EventStore, STORE_DRIVER, type SqlDriver, Stores } from '@app/event-store';
import { Metrics, type WebhookFacts } from '@app/observability';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type WebhookStanding, webhookStandings } from './webhook-standings';

/** Shows how the webhooks fare whenever metrics are read. */
@Injectable()
export class WebhookMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly store: EventStore,
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
    private readonly stores: Stores,
  ) {}

  onModuleInit(): void {
    this.metrics.readWebhooks(async () => {
      const standings: WebhookStanding[] = [];
      await this.stores.each(async () => standings.push(...(await webhookStandings(this.driver))));
      return factsOf(standings, this.store.clock());
    });
  }
}

export function factsOf(standings: readonly WebhookStanding[], now: Date): WebhookFacts {
  const enabled = standings.filter(({ status }) => status === 'Enabled');
  const waits = enabled.flatMap(({ waitingSince }) => (waitingSince ? [now.getTime() - waitingSince.getTime()] : []));
  const failing = enabled.filter(({ failures }) => failures > 0).length;
  return {
    count: { healthy: enabled.length - failing, failing, paused: standings.length - enabled.length },
    waitingSeconds: Math.max(0, ...waits) / 1000,
  };
}
