import { PageErrorFilter } from '@app/pages';
import { type HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AuthorizationPages, rawQueryOf } from '../authorize/authorization-pages';
import { AuthorizationSteps } from '../authorize/authorization-steps';
import { seeOther } from '../authorize/see-other';
import { IdentifiedPersons } from './identified-persons';
import { IdentificationStates } from './identification-states';
import { OpenIdProvider } from './openid-provider';

/** Where the OpenID provider sends the person back (OpenID Connect Core §3.1.2.5). */
@Controller('authorize/login/callback')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class LoginCallbackEndpoint {
  private readonly underWay = new Map<string, Promise<HttpReply>>();

  constructor(
    private readonly states: IdentificationStates,
    private readonly provider: OpenIdProvider,
    private readonly persons: IdentifiedPersons,
    private readonly steps: AuthorizationSteps,
    private readonly pages: AuthorizationPages,
  ) {}

  @Get()
  async comeBack(@Req() request: IncomingMessage): Promise<HttpReply> {
    const query = rawQueryOf(request);
    const state = new URLSearchParams(query).get('state') ?? '';
    const begun = await this.states.begunBy(request, state);
    if (begun === 'unknown') return this.pages.ended(request);
    if (begun === 'other-browser') return this.pages.ofOtherBrowser(request);
    const { authorization, session, again } = begun;
    const page = this.pages.of(request, authorization, session, { again });
    // A reload of this address: the provider takes its code once.
    if (authorization.status === 'identified' && authorization.session === session.name) return seeOther(page.address);
    // Opened twice at once: the provider takes its code once, and both go on with that.
    const key = `${session.name} ${query}`;
    const underWay = this.underWay.get(key);
    if (underWay) return underWay;
    const identified = this.steps.identifying(page, async () => {
      const claims = await this.provider.claimsFrom(query, this.states.bindingOf(state, authorization));
      await this.persons.accept(page, 'openid', claims);
      return seeOther(page.address);
    });
    this.underWay.set(key, identified);
    return identified.finally(() => this.underWay.delete(key));
  }
}
