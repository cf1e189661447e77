import { RawBody, HttpReply, PublicEndpoint } from '@app/http';
import { parseStrictJsonObject, StrictJsonError } from '@app/primitives/json';
import { html, PageErrorFilter, Pages, type ShownPage, type Visit } from '@app/pages';
import type { Awaitable } from '@app/primitives/awaitable';
import { Body, Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { BrowserSessions } from './browser-sessions';
import { FindRequestPage } from './request-page.handlers';
import { ReturnToPage } from './request-return.handlers';

/**
 * Where wallets return the person to the page of a request, with the response code in the fragment. The script of the page
 * posts the code, so that neither a preview of the address nor a form elsewhere uses it up.
 */
@Controller('r/:handle/return')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class RequestReturnEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: Pages,
    private readonly browsers: BrowserSessions,
  ) {}

  @Get()
  page(@Param('handle') handle: string, @Req() request: IncomingMessage): Awaitable<HttpReply> {
    return this.pages.page(request, async (visit) => {
      const found = await this.queries.execute(new FindRequestPage(handle));
      return found?.request.returnToPage && returning(visit);
    });
  }

  /** 204 when the result is released. */
  @Post()
  async comeBack(
    @Param('handle') handle: string,
    @Req() request: IncomingMessage,
    @Body() body: RawBody,
  ): Promise<HttpReply> {
    const responseCode = isFromOwnPage(request) ? codeIn(body) : '';
    const result = { isReleased: false };
    const refusal = await this.pages.page(request, async (visit) => {
      const command = new ReturnToPage(handle, this.browsers.secretOf(request), responseCode);
      const outcome = await this.commands.execute(command);
      result.isReleased = outcome === true;
      return outcome === undefined ? undefined : refused(visit);
    });
    return result.isReleased ? new HttpReply(204, undefined, { 'Cache-Control': 'no-store' }) : refusal;
  }
}

function returning({ texts }: Visit): ShownPage {
  const content = html`<noscript><p>${texts.request.needsScript}</p></noscript>`;
  return { state: 'returning', text: texts.request.returns.returning, content, isLive: false };
}

function refused({ texts }: Visit): ShownPage {
  return { state: 'refused', text: texts.request.returns.refused, content: html``, isLive: false, status: 403 };
}

/** Browsers that do not say where a request comes from do not send the cookie with those of other pages. */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}

/** Nothing for what is no JSON of the page's script: pages elsewhere cannot send that type without being asked about it. */
function codeIn({ bytes, mediaType }: RawBody): string {
  if (!bytes || mediaType !== 'application/json') return '';
  try {
    const { responseCode } = parseStrictJsonObject(bytes);
    return typeof responseCode === 'string' ? responseCode : '';
  } catch (error) {
    if (error instanceof StrictJsonError) return '';
    throw error;
  }
}
