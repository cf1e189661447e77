import { Query } from '@nestjs/cqrs';

/** `none` is configured, or the provider at which people log in is `unknown` before the first look. */
export type LoginStanding = 'none' | 'unknown' | 'usable' | 'failing';

/** How the provider was found lately; answers at once. Answered by the module that sends people there. */
export class FindLoginStanding extends Query<LoginStanding> {}

/** `none` is configured, or the relay that takes mails is `unknown` before the first look. */
export type MailStanding = 'none' | 'unknown' | 'usable' | 'failing';

/** How the relay was found lately; answers at once. Answered by the module that sends mails. */
export class FindMailStanding extends Query<MailStanding> {}
