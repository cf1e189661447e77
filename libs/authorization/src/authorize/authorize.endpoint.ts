import { formParameters, RawBody } from '@app/http';
import { OAuthError } from '@app/openid4vc';
import { PageErrorFilter } from '@app/pages';
import { developmentClaims } from '@app/templates';
import { type HttpReply, PublicEndpoint } from '@app/web';
import { Body, Controller, Get, Post, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AuthorizationRequests, type OpenAuthorization } from '../authorization-requests';
import { AuthorizationSteps } from './authorization-steps';
import { aboutIn, AuthorizationPages, queryOf } from './authorization-pages';
import { seeOther } from './see-other';
import { IdentifiedPersons } from '../identification/identified-persons';
import type { AuthorizationPage } from './identification-method';
import { isFormOf, PageSessions } from './page-sessions';

/** Characters of the name in the development login. */
const longestName = 200;

/** Where wallets send a person whose request they have pushed (RFC 6749 §3.1, RFC 9126 §4). Works without scripts. */
@Controller('authorize')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class AuthorizeEndpoint {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly sessions: PageSessions,
    private readonly steps: AuthorizationSteps,
    private readonly persons: IdentifiedPersons,
    private readonly pages: AuthorizationPages,
  ) {}

  /** Of the query only `client_id` and `request_uri` count (RFC 9126 §4). Whoever opens the address of a form gets a page, too. */
  @Get(['', 'login', 'decision'])
  async open(@Req() request: IncomingMessage): Promise<HttpReply> {
    const query = queryOf(request);
    const authorization = await this.find(query);
    const session = authorization && this.sessions.open(request, authorization);
    if (!session) return this.pages.unknown(request);
    return this.steps.show(this.pages.of(request, authorization, session));
  }

  @Post('login')
  async login(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<HttpReply> {
    const form = formIn(body);
    const page = await this.postedPage(request, form);
    if (!('authorization' in page)) return page;
    const username = (form.get('username') ?? '').trim().slice(0, longestName);
    return this.steps.identifying(page, async () => {
      if (username !== '') await this.persons.accept(page, 'development', developmentClaims(username));
      return seeOther(page.address);
    });
  }

  @Post('decision')
  async decide(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<HttpReply> {
    const form = formIn(body);
    const page = await this.postedPage(request, form);
    if (!('authorization' in page)) return page;
    if (form.has('anew')) {
      const again = page.again === 'login' ? 'select_account' : 'login';
      return this.steps.beginAnew(
        this.pages.of(request, page.authorization, this.sessions.renewed(page.authorization), { again }),
      );
    }
    return form.has('approve') && !form.has('reject')
      ? this.steps.agree(page, form.get('tx_code')?.trim())
      : this.steps.goBack(page);
  }

  /** The page that a form came from, or the answer to a form that came from no page of this browser. */
  private async postedPage(request: IncomingMessage, form: URLSearchParams): Promise<AuthorizationPage | HttpReply> {
    const authorization = await this.find(form);
    if (!authorization) return this.pages.ended(request);
    const session = this.sessions.find(request, authorization);
    if (!session || !isFormOf(session, form.get('form_token'))) {
      return this.pages.ofOtherBrowser(request);
    }
    return this.pages.of(request, authorization, session, aboutIn(form));
  }

  private async find(parameters: URLSearchParams): Promise<OpenAuthorization | undefined> {
    const [requestUri, clientId] = [parameters.get('request_uri'), parameters.get('client_id')];
    return requestUri === null || clientId === null ? undefined : this.requests.find(requestUri, clientId);
  }
}

/** Empty for what is no form, which then belongs to no page. */
function formIn(body: RawBody): URLSearchParams {
  try {
    return formParameters(body);
  } catch (error) {
    if (error instanceof OAuthError) return new URLSearchParams();
    throw error;
  }
}
