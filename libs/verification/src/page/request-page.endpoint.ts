import { chosenForm, PageErrorFilter, Pages, type Visit } from '@app/pages';
import { type HttpReply, PublicEndpoint } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import { Controller, Get, Param, Req, UseFilters } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { streamOfRequest } from '../request/authorization-request';
import { BrowserSessions } from './browser-sessions';
import { RequestLinks } from '../rendering/request-links';
import { FindRequestPage, type FoundRequestPage } from './request-page.handlers';
import { isLive } from './request-page-state';
import { RequestPages } from './request-pages';

/** The page that a portal shows to a person, its pictures, and its state while it changes. Wallets do not come here. */
@Controller('r/:handle')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class RequestPageEndpoint {
  constructor(
    private readonly queries: QueryBus,
    private readonly links: RequestLinks,
    private readonly requests: RequestPages,
    private readonly pages: Pages,
    private readonly browsers: BrowserSessions,
  ) {}

  @Get()
  page(@Param('handle') handle: string, @Req() request: IncomingMessage): Awaitable<HttpReply> {
    return this.pages.page(request, async (visit) => {
      const found = await this.find(handle);
      if (!found?.request.returnToPage) return found && this.requests.shown(found, visit);
      const { session, headers } = this.browsers.begin(request, found.request);
      return { ...(await this.requests.shown({ ...found, request: { ...found.request, session } }, visit)), headers };
    });
  }

  @Get('qr.svg')
  svg(@Param('handle') handle: string, @Req() request: IncomingMessage): Promise<HttpReply> {
    return this.pages.picture(request, 'image/svg+xml', (visit) => this.link(handle, visit));
  }

  @Get('qr.png')
  png(@Param('handle') handle: string, @Req() request: IncomingMessage): Promise<HttpReply> {
    return this.pages.picture(request, 'image/png', (visit) => this.link(handle, visit));
  }

  @Get('events')
  events(@Param('handle') handle: string, @Req() request: IncomingMessage): Promise<HttpReply> {
    return this.pages.events(request, async () => {
      const found = await this.find(handle);
      if (!found) return undefined;
      const { request: asked, state, now } = found;
      return {
        state,
        isFinal: !isLive(state),
        streams: [streamOfRequest(asked.state)],
        changesIn: Date.parse(asked.expiresAt) - now.getTime(),
      };
    });
  }

  private find(handle: string): Promise<FoundRequestPage | undefined> {
    return this.queries.execute(new FindRequestPage(handle));
  }

  private async link(handle: string, visit: Visit): Promise<string | undefined> {
    const found = await this.find(handle);
    // A wallet that answers from a picture could not return to the page: the picture leads to the page.
    if (found?.request.returnToPage) return this.links.ofPage(found.request).page;
    return found && chosenForm(this.links.forms(found), visit.form).link;
  }
}
