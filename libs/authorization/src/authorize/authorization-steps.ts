import { Pages } from '@app/pages';
import { HttpReply } from '@app/web';
import { Injectable } from '@nestjs/common';
import type { RefusalCause } from '../authorization';
import { AuthorizationRequests, type ErrorForClient, type WayBack } from '../authorization-requests';
import { type AskedCredential, consentPage, endedPage, obstaclePage } from './authorize-page';
import { IdentificationMethods } from './identification-methods';
import { type WayToIdentify, WaysToIdentify } from './identification';
import type { AuthorizationPage } from './identification-method';
import { PersonData } from './person-data';

/** What comes next on the page of an authorization. */
type Step =
  | { readonly step: 'identify'; readonly way: WayToIdentify }
  | { readonly step: 'consent'; readonly asked: readonly AskedCredential[] }
  | { readonly step: 'refuse'; readonly cause: RefusalCause };

/** Leads a person through the page: who they are, what goes into the credentials, and whether they agree. */
@Injectable()
export class AuthorizationSteps {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly ways: WaysToIdentify,
    private readonly methods: IdentificationMethods,
    private readonly data: PersonData,
    private readonly pages: Pages,
  ) {}

  async show(page: AuthorizationPage): Promise<HttpReply> {
    const next = await this.nextOf(page);
    switch (next.step) {
      case 'identify':
        return this.identify(page, next.way);
      case 'consent':
        return this.pages.page(page.request, (visit) =>
          Promise.resolve({
            ...consentPage(visit, page.form('decision'), page.authorization, next.asked),
            headers: page.session.headers,
          }),
        );
      case 'refuse':
        return this.refuse(page, 'access_denied', next.cause);
    }
  }

  /** The person agrees to what the page shows now; on any other step there is nothing to agree to, and it is shown. */
  async agree(page: AuthorizationPage): Promise<HttpReply> {
    const next = await this.nextOf(page);
    if (next.step !== 'consent') return this.show(page);
    return this.back(page, await this.requests.consent(page.authorization.authorizationId, page.session.name));
  }

  /** @param cause absent when the person says no */
  async refuse(page: AuthorizationPage, error: ErrorForClient, cause?: RefusalCause): Promise<HttpReply> {
    return this.back(page, await this.requests.refuse(page.authorization.authorizationId, error, cause));
  }

  private async nextOf({ authorization, session }: AuthorizationPage): Promise<Step> {
    const way = await this.ways.of(authorization);
    if ('obstacle' in way || authorization.status !== 'identified' || authorization.session !== session.name) {
      return { step: 'identify', way };
    }
    const person = await this.requests.claimsOf(authorization.authorizationId);
    if (!person) return { step: 'identify', way };
    const found = await this.data.of(authorization.configurationIds, person);
    return 'reason' in found ? { step: 'refuse', cause: found } : { step: 'consent', asked: found };
  }

  private identify(page: AuthorizationPage, way: WayToIdentify): Promise<HttpReply> {
    if ('method' in way) return this.methods.begin(way.method, page);
    const { request, session, form } = page;
    return this.pages.page(request, (visit) =>
      Promise.resolve({ ...obstaclePage(visit, form('decision'), way.obstacle), headers: session.headers }),
    );
  }

  private back({ request }: AuthorizationPage, way: WayBack | string): Promise<HttpReply> {
    if (typeof way === 'string') return this.pages.page(request, (visit) => Promise.resolve(endedPage(visit)));
    return Promise.resolve(seeOther(way.redirectTo));
  }
}

/** @param address holds a code, or names one: nobody keeps it, and no page it leads to learns where it came from */
export function seeOther(address: string): HttpReply {
  return new HttpReply(303, undefined, {
    Location: address,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
}
