import { FindOfferForAuthorization, type OfferForAuthorization } from '@app/offers';
import { FindWalletInitiation, type Identification } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { linkedOffer } from '../authorization';
import type { OpenAuthorization } from '../authorization-requests';

/** How it is found out who the person of an authorization is, or why the request cannot be carried out. */
export type WayToIdentify =
  | { readonly method: Identification; readonly offer?: OfferForAuthorization }
  | { readonly obstacle: 'offer-needed' | 'apart' }
  /** The offer was used, withdrawn or has expired since the request was pushed. */
  | { readonly obstacle: 'offer-not-open' };

@Injectable()
export class WaysToIdentify {
  constructor(private readonly queries: QueryBus) {}

  async of(authorization: OpenAuthorization): Promise<WayToIdentify> {
    const named = linkedOffer(authorization);
    if (named) {
      const offer = await this.queries.execute(new FindOfferForAuthorization(named));
      return offer ? { method: offer.identification, offer } : { obstacle: 'offer-not-open' };
    }
    const initiation = await this.queries.execute(new FindWalletInitiation(authorization.configurationIds));
    if (initiation.outcome !== 'possible') return { obstacle: initiation.outcome };
    // No page asks for a presentation.
    if (initiation.identification === 'presentation') return { obstacle: 'offer-needed' };
    return { method: initiation.identification };
  }
}
