import { FindOfferForAuthorization, type OfferForAuthorization } from '@app/offers';
import type { DcqlQuery } from '@app/openid4vc';
import {
  commonPresentation,
  FindCredentialConfiguration,
  FindPromisedConfiguration,
  FindWalletInitiation,
  type Identification,
} from '@app/templates';
import { allThere, type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { linkedOffer } from '../authorization';
import type { OpenAuthorization } from '../authorization-requests';
import type { ShownCredential } from './authorize-page';

/** How it is found out who a person is. */
export interface Identifying {
  readonly method: Identification;
  readonly presentation?: AskedPresentation;
}

/** What a person presents, where that is the method. */
export interface AskedPresentation {
  readonly query: DcqlQuery;
  /** The credentials that they get for it. */
  readonly asked: readonly ShownCredential[];
}

/** How it is found out who the person of an authorization is, or why the request cannot be carried out. */
export type WayToIdentify =
  | (Identifying & { readonly offer?: OfferForAuthorization })
  | { readonly obstacle: 'offer-needed' | 'apart' | 'not-issued' }
  /** The offer was used, withdrawn or has expired since the request was pushed, or none of its templates says what is presented. */
  | { readonly obstacle: 'offer-not-open' | 'presentation-missing' };

@Injectable()
export class WaysToIdentify {
  constructor(private readonly queries: QueryBus) {}

  of(authorization: OpenAuthorization): Awaitable<WayToIdentify> {
    return whenThere(this.isAnyIssued(authorization.configurationIds), (isIssued) =>
      isIssued ? this.ofIssued(authorization) : { obstacle: 'not-issued' },
    );
  }

  private ofIssued(authorization: OpenAuthorization): Promise<WayToIdentify> {
    const { configurationIds } = authorization;
    const named = linkedOffer(authorization);
    if (named) {
      return this.queries
        .execute(new FindOfferForAuthorization(named))
        .then((offer): Awaitable<WayToIdentify> =>
          offer ? this.by(offer.identification, configurationIds, { offer }) : { obstacle: 'offer-not-open' },
        );
    }
    return this.queries
      .execute(new FindWalletInitiation(configurationIds))
      .then((initiation): Awaitable<WayToIdentify> =>
        initiation.outcome === 'possible'
          ? this.by(initiation.identification, configurationIds, {})
          : { obstacle: initiation.outcome },
      );
  }

  /** Templates may have been archived since the request was pushed. */
  private isAnyIssued(configurationIds: readonly string[]): Awaitable<boolean> {
    const asked = configurationIds.map((id) => this.queries.execute(new FindPromisedConfiguration(id)));
    return whenThere(allThere(asked), (found) => found.some(({ status }) => status === 'issuable'));
  }

  private by(
    method: Identification,
    configurationIds: readonly string[],
    rest: { readonly offer?: OfferForAuthorization },
  ): Awaitable<WayToIdentify> {
    return method === 'presentation' ? this.byPresentation(configurationIds, rest) : { method, ...rest };
  }

  private async byPresentation(
    configurationIds: readonly string[],
    rest: { readonly offer?: OfferForAuthorization },
  ): Promise<WayToIdentify> {
    const found = await Promise.all(
      configurationIds.map((id) => this.queries.execute(new FindCredentialConfiguration(id))),
    );
    const query = commonPresentation(found.flatMap((one) => (one?.presentation ? one : [])));
    if (!query) return { obstacle: 'presentation-missing' };
    const asked = configurationIds.map((configurationId, index) => ({
      configurationId,
      display: found[index]?.display,
    }));
    return { method: 'presentation', presentation: { query, asked }, ...rest };
  }
}
