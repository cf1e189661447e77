import { type EventStore, type SqlExecutor, type TenantArrival, tenantArrivals } from '@app/event-store';
import { deliveryHorizon } from './delivery-horizon';
import { ReplayTable } from './replay-table';
import { type ReplayFrom, startOf } from './replay-start';

/**
 * From now on, the process that serves the webhook sends it these events again.
 * @throws Problem `event-not-found` or `replay-not-possible`
 */
export async function beginReplay(
  executor: SqlExecutor,
  store: Pick<EventStore, 'log' | 'clock' | 'presentPosition'>,
  webhookId: string,
  start: ReplayFrom,
  retentionDays: number,
): Promise<void> {
  const asked = 'fromEvent' in start ? { fromEvent: await store.presentPosition(start.fromEvent) } : start;
  const arrivals = (since: Date): Promise<readonly TenantArrival[]> => tenantArrivals(executor, since);
  const after = await startOf(store.log, arrivals, asked, deliveryHorizon(store.clock(), retentionDays));
  const { position: last } = await store.log.end();
  await new ReplayTable(executor).begin(webhookId, after, last);
}
