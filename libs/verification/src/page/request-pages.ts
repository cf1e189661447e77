import { type DcqlCredentialQuery, isOfConfiguration } from '@app/openid4vc';
import type { ShownPage, Visit } from '@app/pages';
import { ListCredentialConfigurations } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { DigitalCredentialRequests } from '../rendering/digital-credential-requests';
import { shownRequest } from './request-page';
import { RequestLinks } from '../rendering/request-links';
import type { FoundRequestPage } from './request-page.handlers';
import { isAnswerable } from './request-page-state';

/** Shows requests to people, with the links for their wallets. */
@Injectable()
export class RequestPages {
  constructor(
    private readonly queries: QueryBus,
    private readonly links: RequestLinks,
    private readonly digital: DigitalCredentialRequests,
  ) {}

  async shown(found: FoundRequestPage, visit: Visit): Promise<ShownPage> {
    const { request, state } = found;
    const issued = await this.queries.execute(new ListCredentialConfigurations());
    const known = (query: DcqlCredentialQuery) => issued.find((own) => isOfConfiguration(query, own));
    return shownRequest(visit, {
      request,
      state,
      forms: this.links.forms(found),
      // Signed for this visit.
      browser: isAnswerable(state) ? await this.digital.of(found) : undefined,
      known,
    });
  }
}
