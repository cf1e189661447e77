import { PageErrorFilter } from '@app/pages';
import { ComeBackToPage } from '@app/verification';
import { type HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { AuthorizationPages, queryOf } from '../authorize/authorization-pages';
import { seeOther } from '../authorize/see-other';
import { IdentificationStates } from './identification-states';

/**
 * Where the wallet takes the person back after a presentation (OpenID4VP 1.0 §8.2). The code of the answer counts in the browser of
 * the page alone, so it can be in the query, and the page needs no script.
 */
@Controller('authorize/presentation')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class PresentationReturnEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly states: IdentificationStates,
    private readonly pages: AuthorizationPages,
  ) {}

  /** The page goes on by what was presented, whether or not this is the first time that the address is opened. */
  @Get()
  async comeBack(@Req() request: IncomingMessage): Promise<HttpReply> {
    const query = queryOf(request);
    const begun = await this.states.begunBy(request, query.get('state') ?? '');
    if (begun === 'unknown') return this.pages.ended(request);
    if (begun === 'other-browser') return this.pages.ofOtherBrowser(request);
    const { authorization, session } = begun;
    const requestId = this.states.presentationOf(authorization, session);
    await this.commands.execute(new ComeBackToPage(requestId, query.get('response_code') ?? ''));
    return seeOther(this.pages.of(request, authorization, session).address);
  }
}
