import { type DcqlCredentialQuery, isOfConfiguration } from '@app/openid4vc';
import { chosenForm, PageErrorFilter, Pages, type ShownPage, type Visit } from '@app/pages';
import { ListCredentialConfigurations } from '@app/templates';
import { type HttpReply, PublicEndpoint } from '@app/web';
import { Controller, Get, Param, Req, UseFilters } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { streamOfRequest } from './authorization-request';
import { BrowserSessions } from './browser-sessions';
import { DigitalCredentialRequests } from './digital-credential-requests';
import { shownRequest } from './request-page';
import { RequestLinks } from './request-links';
import { FindRequestPage, type FoundRequestPage } from './request-page.handlers';
import { isAnswerable, isLive } from './request-page-state';

/** The page that a portal shows to a person, its pictures, and its state while it changes. Wallets do not come here. */
@Controller('r/:handle')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class RequestPageEndpoint {
  constructor(
    private readonly queries: QueryBus,
    private readonly links: RequestLinks,
    private readonly digital: DigitalCredentialRequests,
    private readonly pages: Pages,
    private readonly browsers: BrowserSessions,
  ) {}

  @Get()
  page(@Param('handle') handle: string, @Req() request: IncomingMessage): Promise<HttpReply> {
    return this.pages.page(request, async (visit) => {
      const found = await this.find(handle);
      if (!found?.request.returnToPage) return found && this.shown(found, visit);
      const { session, headers } = this.browsers.begin(request, found.request);
      return { ...(await this.shown({ ...found, request: { ...found.request, session } }, visit)), headers };
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

  private async shown(found: FoundRequestPage, visit: Visit): Promise<ShownPage> {
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
