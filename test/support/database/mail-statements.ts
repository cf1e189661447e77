import type { SqlDriver } from '@app/event-store';
import { OfferDeliveryTable } from '@app/mail/src/offer-delivery-table';

/** Every statement about what is handed over to persons. */
export async function mailStatements(driver: SqlDriver): Promise<void> {
  const now = new Date();
  const table = new OfferDeliveryTable(driver);
  const mail = { deliveryId: 'd', offerId: 'o', channel: 'email', locale: undefined, status: 'Queued' } as const;
  await table.add(mail, now);
  await table.addMails([{ deliveryId: 'e', offerId: 'p' }], undefined, now);
  await table.latest(['o', 'p']);
  await table.countLatest('o');
  await table.waitingSince();
  await table.ofOffer('o', 10);
  await table.hasDue(now);
  await table.due(now, 10);
  await table.begin('d', now);
  await table.postpone('d', '450', now);
  await table.leave('d', 'tenant-suspended', now);
  await table.hold(now);
  await table.hold(now, '');
  await table.attemptsSince(now);
  await table.change('d', ['Queued'], { status: 'Sent' }, now);
  await table.cancel(undefined, now);
  await table.cancel(['o'], now);
  await table.cancelFrom('o', now);
  await table.cancelThese(['d'], now);
  await table.removeOld(now);
  await table.removeAll();
}
