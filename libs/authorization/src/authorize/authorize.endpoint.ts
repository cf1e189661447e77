import { EventStore } from '@app/event-store';
import { formParameters, RawBody, type HttpReply, PublicEndpoint, StopsWith } from '@app/http';
import { OAuthError } from '@app/openid4vc';
import { PageErrorFilter } from '@app/pages';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { developmentClaims } from '@app/templates';
import { Body, Controller, Get, Post, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { type AnsweredAuthorization, AuthorizationRequests, type OpenAuthorization } from '../authorization-requests';
import { AuthorizationSteps } from './authorization-steps';
import { aboutIn, AuthorizationPages, queryOf } from './authorization-pages';
import { seeOther } from './see-other';
import { IdentifiedPersons } from '../identification/identified-persons';
import type { AuthorizationPage } from './identification-method';
import { isFormOf, type PageSession, PageSessions } from './page-sessions';

/** Characters of the name in the development login. */
const longestName = 200;

/** Where wallets send a person whose request they have pushed (RFC 6749 §3.1, RFC 9126 §4). Works without scripts. */
@Controller('authorize')
@PublicEndpoint('people')
@StopsWith('issuing')
@UseFilters(PageErrorFilter)
export class AuthorizeEndpoint {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly sessions: PageSessions,
    private readonly steps: AuthorizationSteps,
    private readonly persons: IdentifiedPersons,
    private readonly pages: AuthorizationPages,
    private readonly store: EventStore,
  ) {}

  /** Of the query only `client_id` and `request_uri` count (RFC 9126 §4). Whoever opens the address of a form gets a page, too. */
  @Get(['', 'login', 'decision'])
  open(@Req() request: IncomingMessage): Awaitable<HttpReply> {
    return whenThere(this.find(queryOf(request)), (authorization) => {
      const session = authorization && this.sessions.open(request, authorization);
      if (!session) return this.pages.unknown(request);
      return this.steps.show(this.pages.of(request, authorization, session));
    });
  }

  @Post('login')
  async login(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<HttpReply> {
    const form = formIn(body);
    const authorization = await this.find(form);
    if (!authorization) return this.pages.ended(request);
    const page = this.pageOf(request, form, authorization);
    if (!page) return this.pages.ofOtherBrowser(request);
    const username = (form.get('username') ?? '').trim().slice(0, longestName);
    return this.steps.identifying(page, async () => {
      if (username !== '') await this.persons.accept(page, 'development', developmentClaims(username));
      return seeOther(page.address);
    });
  }

  @Post('decision')
  async decide(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<HttpReply> {
    const form = formIn(body);
    const isApproval = form.has('approve') && !form.has('reject');
    const isAnew = form.has('anew');
    const { authorization, page, begun } = await this.store.transact(() =>
      whenThere(this.find(form), (authorization) => {
        const page = authorization && this.pageOf(request, form, authorization);
        const begun = page && isApproval && !isAnew ? this.steps.beginToAgree(page) : undefined;
        return whenThere(begun, (consent) => ({ authorization, page, begun: consent }));
      }),
    );
    if (!authorization) return this.answerAgain(request, form, isApproval);
    if (!page) return this.pages.ofOtherBrowser(request);
    if (isAnew) {
      const again = page.again === 'login' ? 'select_account' : 'login';
      return this.steps.beginAnew(
        this.pages.of(request, page.authorization, this.sessions.renewed(page.authorization), { again }),
      );
    }
    return begun ? this.steps.agree(page, begun, form.get('tx_code')?.trim()) : this.steps.goBack(page);
  }

  /** The page that a form came from; `undefined` when that is no page of this browser. */
  private pageOf(
    request: IncomingMessage,
    form: URLSearchParams,
    authorization: OpenAuthorization,
  ): AuthorizationPage | undefined {
    const session = this.sessionOf(request, form, authorization);
    return session && this.pages.of(request, authorization, session, aboutIn(form));
  }

  private async answerAgain(request: IncomingMessage, form: URLSearchParams, isApproval: boolean): Promise<HttpReply> {
    const { requestUri, clientId } = namedBy(form);
    const answered = await this.requests.findAnswered(requestUri, clientId);
    const session = answered && this.sessionOf(request, form, answered);
    if (!session) return this.pages.ended(request);
    return this.steps.answerAgain(request, answered, { session: session.name, isApproval });
  }

  private sessionOf(
    request: IncomingMessage,
    form: URLSearchParams,
    authorization: OpenAuthorization | AnsweredAuthorization,
  ): PageSession | undefined {
    const session = this.sessions.find(request, authorization);
    return session && isFormOf(session, form.get('form_token')) ? session : undefined;
  }

  private find(parameters: URLSearchParams): Awaitable<OpenAuthorization | undefined> {
    const { requestUri, clientId } = namedBy(parameters);
    return this.requests.find(requestUri, clientId);
  }
}

/** What is empty names nothing. */
function namedBy(parameters: URLSearchParams): { readonly requestUri: string; readonly clientId: string } {
  return { requestUri: parameters.get('request_uri') ?? '', clientId: parameters.get('client_id') ?? '' };
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
