import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { OfferDeliveryTable } from '@app/mail/src/offer-delivery-table';
import { Mailers } from '@app/mail/src/mailers';
import { eventually } from '../event-store/accounts';
import type { MailRelay } from '../support/counterparts/mail-relay';
import { type RunningService, startService } from '../support/service/service';

const minute = 60_000;

export interface Mailing {
  readonly service: RunningService;
  /** Lets time pass, and everything be tried that is due then. */
  pass(milliseconds: number): Promise<void>;
}

/** A service that sends ten mails in a minute, of a clock that tests move. */
export async function startMailing(relay: MailRelay): Promise<Mailing> {
  const service = await startService({
    SERVICE__MAIL__HOST: '127.0.0.1',
    SERVICE__MAIL__PORT: String(relay.port),
    SERVICE__MAIL__SECURITY: 'none',
    SERVICE__MAIL__FROM: 'credentials@town.example',
    SERVICE__MAIL__REPLY_TO: 'office@town.example',
    SERVICE__MAIL__RATE_PER_MINUTE: '10',
    SERVICE__ISSUER__DISPLAY_NAME: 'Town of Example',
  });
  let ahead = 0;
  const store = service.app.get(EventStore);
  const clock = store.clock.bind(store);
  jest.spyOn(store, 'clock').mockImplementation(() => new Date(clock().getTime() + ahead));
  const mailers = service.app.get(Mailers);
  jest.spyOn(mailers, 'patience').mockReturnValue(1_000);
  const table = new OfferDeliveryTable(service.app.get<SqlDriver>(SQL_DRIVER));
  return {
    service,
    async pass(milliseconds) {
      ahead += milliseconds;
      await eventually(async () => {
        mailers.wake();
        const now = store.clock();
        return !(await table.hasDue(now)) || (await table.attemptsSince(new Date(now.getTime() - minute))) >= 10;
      }, 20_000);
      await (mailers as unknown as { looking?: Promise<void> }).looking;
    },
  };
}
