import {
  chosenForm,
  type FoundPage,
  PageErrorFilter,
  Pages,
  type PageState,
  type ShownPage,
  type Visit,
} from '@app/pages';
import { WALLET_URLS } from '@app/identity';
import type { WalletUrls } from '@app/openid4vc';
import { FindPromisedConfiguration } from '@app/templates';
import { type HttpReply, PublicEndpoint } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import { Controller, Get, Inject, Param, Req, UseFilters } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { grantsOf } from '../offer/offer-grants';
import { OfferLinks } from '../management/offer-links';
import { markedState, type PromisedCredential, shownOffer } from './offer-page';
import { isFinalState } from './offer-page-state';
import { FindOfferPage, type FoundOfferPage } from './offer-page.handlers';
import { triesLeftIn } from '../offer/offer-redemption';

/** The page that a portal shows to a person, its pictures, and its state while it changes. Wallets do not come here. */
@Controller('o/:handle')
@PublicEndpoint('people')
@UseFilters(PageErrorFilter)
export class OfferPageEndpoint {
  constructor(
    private readonly queries: QueryBus,
    private readonly links: OfferLinks,
    private readonly pages: Pages,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  @Get()
  page(@Param('handle') handle: string, @Req() request: IncomingMessage): Awaitable<HttpReply> {
    return this.pages.page(request, async (visit) => {
      const found = await this.find(handle);
      return found && this.shown(found, visit);
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
      return found && followed(found);
    });
  }

  private find(handle: string): Promise<FoundOfferPage | undefined> {
    return this.queries.execute(new FindOfferPage(handle));
  }

  private async link(handle: string, visit: Visit): Promise<FoundPage<string>> {
    const found = await this.find(handle);
    if (!found || found.state === 'expired') return found && 'expired';
    return chosenForm(this.links.forms(found.offer), visit.form).link;
  }

  private async shown({ offer, state }: FoundOfferPage, visit: Visit): Promise<ShownPage> {
    const promised = await Promise.all(
      offer.credentials.map(async ({ configurationId }): Promise<PromisedCredential> => {
        const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
        return { configurationId, display: 'configuration' in found ? found.configuration.display : undefined };
      }),
    );
    const forms = this.links.forms(offer);
    const code = offer.transactionCode && { ...offer.transactionCode, triesLeft: triesLeftIn(offer) };
    const isOwnPicture = (address: string): boolean => this.urls.imageAt(address) !== undefined;
    return shownOffer(visit, { state, promised, code, grants: grantsOf(offer), forms, isOwnPicture });
  }
}

function followed({ offer, state, now, streams }: FoundOfferPage): PageState {
  const isOpen = offer.status === 'open' || offer.status === 'offline';
  const changesIn = isOpen ? Date.parse(offer.expiresAt) - now.getTime() : undefined;
  return { state: markedState(state, triesLeftIn(offer)), isFinal: isFinalState(state), streams, changesIn };
}
