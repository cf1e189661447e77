import { WALLET_URLS } from '@app/identity';
import type { DcqlQuery, WalletUrls } from '@app/openid4vc';
import { Pages } from '@app/pages';
import { AskInPage } from '@app/verification';
import type { HttpReply } from '@app/http';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { presentationPage } from '../authorize/authorize-page';
import type { AuthorizationPage, IdentificationMethod } from '../authorize/identification-method';
import { seeOther } from '../authorize/see-other';
import type { AskedPresentation } from '../authorize/identification';
import { IdentificationFailure } from './identification-failure';
import { IdentificationStates } from './identification-states';
import { IdentifiedPersons } from './identified-persons';

/** The person presents a credential from a wallet, which takes them back to the browser of the page. */
@Injectable()
export class PresentationInPage implements IdentificationMethod {
  constructor(
    private readonly commands: CommandBus,
    private readonly states: IdentificationStates,
    private readonly persons: IdentifiedPersons,
    private readonly pages: Pages,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  async begin(page: AuthorizationPage, presentation: AskedPresentation | undefined): Promise<HttpReply> {
    if (!presentation) throw new Error('nothing to present');
    const { authorization, session } = page;
    const requestId = this.states.presentationOf(authorization, session);
    const asked = await this.commands.execute(new AskInPage(requestId, this.asked(page, presentation.query)));
    switch (asked.outcome) {
      case 'open':
        return this.pages.page(page.request, async (visit) => ({
          ...presentationPage(visit, page.form('decision'), {
            authorization,
            asked: presentation.asked,
            request: await asked.page(visit),
          }),
          headers: session.headers,
        }));
      case 'presented':
        await this.persons.accept(page, 'presentation', asked.claims);
        return seeOther(page.address);
      case 'over':
        throw new IdentificationFailure({ reason: 'presentation-abandoned' });
      case 'unavailable':
        throw new IdentificationFailure({ reason: 'presentation-unavailable' }, 'temporarily_unavailable');
    }
  }

  /** For as long as the page may be completed. */
  private asked({ authorization, session, language }: AuthorizationPage, query: DcqlQuery): AskInPage['asked'] {
    const { now, completableUntil } = authorization;
    const state = { state: this.states.issue(authorization, session), ...(language !== null && { language }) };
    return {
      query,
      returnTo: `${this.urls.presentationReturn}?${new URLSearchParams(state).toString()}`,
      expiresIn: `PT${Math.ceil((Date.parse(completableUntil) - now.getTime()) / 1000)}S`,
    };
  }
}
