import type { OfferForAuthorization } from '@app/offers';
import type { Identification } from '@app/templates';
import { Injectable } from '@nestjs/common';
import type { RefusalCause } from '../authorization';
import { AuthorizationRequests } from '../authorization-requests';
import type { ShownCredential } from './authorize-page';
import { type Identifying, WaysToIdentify } from './identification';
import type { AuthorizationPage } from './identification-method';
import { PersonData } from './person-data';

/** What comes next on the page of an authorization. */
export type Step =
  | ({ readonly step: 'identify' } & Identifying)
  | { readonly step: 'stop'; readonly obstacle: 'offer-needed' | 'apart' | 'not-issued' }
  | {
      readonly step: 'consent';
      readonly asked: readonly ShownCredential[];
      readonly offer: OfferForAuthorization | undefined;
      /** How it is known who the person is; the portal knew them when nobody else is asked. */
      readonly source: Identification;
    }
  | { readonly step: 'refuse'; readonly cause: RefusalCause };

const byPortal = { source: 'portal', claims: {} } as const;

/** Finds out how far a person has come. */
@Injectable()
export class NextStep {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly ways: WaysToIdentify,
    private readonly data: PersonData,
  ) {}

  async of({ authorization, session }: AuthorizationPage): Promise<Step> {
    const way = await this.ways.of(authorization);
    if ('obstacle' in way) {
      const { obstacle } = way;
      return obstacle === 'offer-not-open' || obstacle === 'presentation-missing'
        ? { step: 'refuse', cause: { reason: obstacle } }
        : { step: 'stop', obstacle };
    }
    const { method, presentation, offer } = way;
    const isByPortal = method === 'portal';
    const isKnown = authorization.status === 'identified' && authorization.session === session.name;
    const known = isKnown ? await this.requests.claimsOf(authorization.authorizationId) : undefined;
    const person = isByPortal ? byPortal : known;
    if (!person) return { step: 'identify', method, ...(presentation && { presentation }) };
    const asked = await this.data.of(authorization.configurationIds, person, offer);
    return 'reason' in asked
      ? { step: 'refuse', cause: asked }
      : { step: 'consent', asked, offer, source: person.source };
  }
}
