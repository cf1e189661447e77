import { FindWalletInitiation, type Identification } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { OpenAuthorization } from '../authorization-requests';

/** How it is found out who the person of an authorization is, or why the request cannot be carried out. */
export type WayToIdentify = { readonly method: Identification } | { readonly obstacle: 'offer-needed' | 'apart' };

@Injectable()
export class WaysToIdentify {
  constructor(private readonly queries: QueryBus) {}

  async of({ configurationIds }: OpenAuthorization): Promise<WayToIdentify> {
    const initiation = await this.queries.execute(new FindWalletInitiation(configurationIds));
    if (initiation.outcome === 'possible') return { method: initiation.identification };
    return { obstacle: initiation.outcome };
  }
}
