import { Settings } from '@app/config';
import { FindMailStanding, type MailStanding } from '@app/operation';
import { apart, inTenant } from '@app/primitives/context';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { examineRelay } from './relay';

/** Milliseconds for which an examination of the relay counts. */
const lasting = 60_000;

/** Whether the relay answers and takes the login. Sends nothing. */
@QueryHandler(FindMailStanding)
export class FindMailStandingHandler implements IQueryHandler<FindMailStanding> {
  private standing: MailStanding = 'unknown';
  private until = 0;

  constructor(private readonly settings: Settings) {}

  execute(): Promise<MailStanding> {
    const { mail } = this.settings;
    if (mail.host === '') return Promise.resolve('none');
    if (performance.now() >= this.until) {
      this.until = Infinity;
      void apart(() => inTenant(undefined, () => this.look()));
    }
    return Promise.resolve(this.standing);
  }

  private async look(): Promise<void> {
    this.standing = (await examineRelay(this.settings.mail)) ? 'failing' : 'usable';
    this.until = performance.now() + lasting;
  }
}
