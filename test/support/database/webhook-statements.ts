import type { PublicEvent } from '@app/events';
import { firstPosition, type SqlDriver, tenantArrivals } from '@app/event-store';
import { listDeliveries } from '@app/events/src/webhooks/delivery-log';
import { DeliveryTable } from '@app/events/src/webhooks/delivery-table';
import { releaseReceiver, takeReceivers } from '@app/events/src/webhooks/receiver-locks';
import { ReceiverTable } from '@app/events/src/webhooks/receiver-table';
import { ReplayTable } from '@app/events/src/webhooks/replay-table';
import { webhookStandings } from '@app/events/src/webhooks/webhook-standings';

/** Every statement of webhooks. */
export async function webhookStatements(driver: SqlDriver): Promise<void> {
  const now = new Date();
  const receivers = new ReceiverTable(driver);
  const deliveries = new DeliveryTable(driver);
  const filter = { types: ['offer.locked'], subject: 'offers/1' };
  const event = { id: '7', type: 'offer.locked', subject: 'offers/1' } as PublicEvent;
  const attempt = { at: now.toISOString(), durationMs: 1, status: 204 };
  await receivers.add('w', '1', filter);
  await receivers.filter('w', filter);
  await receivers.hasAny();
  await receivers.pause('w');
  await receivers.resume('w');
  await deliveries.handOut([event], now);
  await deliveries.waiting(now);
  await deliveries.due('w', now, ['offers/2'], 10);
  await deliveries.failed('w', event.id, attempt, now);
  await deliveries.hasten('w', now);
  await deliveries.delivered('w', event.id, attempt);
  await deliveries.schedule('w', [event], now);
  await listDeliveries(driver, 'w', { limit: 1 });
  await listDeliveries(driver, 'w', { limit: 1, status: 'Pending' });
  const replays = new ReplayTable(driver);
  await replays.begin('w', firstPosition, '7');
  await replays.find('w');
  await replays.advance('w', firstPosition);
  await replays.end('w', '8');
  await tenantArrivals(driver, now);
  await receivers.failed('w', now);
  await receivers.hold('w', now);
  await receivers.succeeded('w');
  await webhookStandings(driver);
  await deliveries.removeOld(now);
  await receivers.remove('w');
  await receivers.removeAll();
  const session = await driver.session();
  await takeReceivers(session, ['w']);
  await releaseReceiver(session, 'w');
  await session.close();
}
