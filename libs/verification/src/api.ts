import type { JsonObject } from '@app/primitives/json';
import type { DcqlQuery } from '@app/openid4vc';
import type { ShownPage, Visit } from '@app/pages';
import { Command } from '@nestjs/cqrs';

export { authorizationRequestAggregate } from './request/authorization-request';
export { statusCounter } from './response/presented-statuses';
export { presentationCounter, presentationPublication } from './request/request-events';

/** What a page of this service asks the person to present in whose browser it is open. */
export interface AskInBrowser {
  /** For one credential. */
  readonly query: DcqlQuery;
  /** Where the wallet takes the person afterwards, with `response_code` in the query; has a query already. */
  readonly returnTo: string;
  /** ISO 8601 duration. */
  readonly expiresIn: string;
}

/** How far that has come. */
export type AskedInPage =
  /** The wallet can answer, or has answered and the person has not come back. @property page shows it, signed for the visit */
  | { readonly outcome: 'open'; readonly page: (visit: Visit) => Promise<ShownPage> }
  /** The claims of the credential that was verified, when the person has come back in time. */
  | { readonly outcome: 'presented'; readonly claims: JsonObject }
  /** Nobody came back in time, what was presented is erased, or the request asked for something else. */
  | { readonly outcome: 'over' }
  /** Requests are to be named by a certificate, and there is none, or what is asked for is not registered. */
  | { readonly outcome: 'unavailable' };

/**
 * Asks a person to present a credential, in a page that knows their browser and takes the answer by `ComeBackToPage` alone: a
 * link that is passed on leads whoever answers it to a browser that did not begin. A repeated command finds the request again.
 */
export class AskInPage extends Command<AskedInPage> {
  constructor(
    /** Nobody else can tell it: whoever makes a request of this id before decides what is asked. */
    readonly requestId: string,
    readonly asked: AskInBrowser,
  ) {
    super();
  }
}

/** The person has come back from the wallet, to the browser that began. Tells whether with the code of the answer, in time. */
export class ComeBackToPage extends Command<boolean> {
  constructor(
    readonly requestId: string,
    readonly responseCode: string,
  ) {
    super();
  }
}
