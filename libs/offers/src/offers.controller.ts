import { ShowsLinks } from '@app/access';
import {
  type BareLink,
  Idempotent,
  linkPage,
  parseChoice,
  parsePageQuery,
  pictureAddresses,
  preferredRepresentation,
  shownLink,
  timelineOf,
} from '@app/http';
import { WALLET_URLS } from '@app/identity';
import { credentialOfferLink, WalletUrls } from '@app/openid4vc';
import { Problem } from '@app/problem-details';
import { Described } from '@app/openapi';
import { created, currentPrincipal, HttpReply, RequiresScope } from '@app/web';
import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { SendOffer } from './delivery.handlers';
import { Offer, publicState, publicStates } from './offer';
import { OfferSecrets } from './offer-secrets';
import { describeOfferEvent } from './offer-timeline';
import {
  isPublicOffer,
  lifetimeOf,
  newTransactionCodeOf,
  OpenOfferBody,
  ReopenOfferBody,
  SendOfferBody,
  targetOf,
  templateIdsOf,
  transactionCodeOf,
} from './offers.dto';
import {
  GetOffer,
  GetOfferHistory,
  ListOffers,
  NewOfferView,
  OpenOffer,
  SwitchOffer,
  WithdrawOffer,
} from './offers.handlers';
import { linkMembers, offersDescription } from './offers.openapi';
import { ReopenOffer } from './reopening.handlers';

@Controller('v0/offers')
@Described(offersDescription)
@ShowsLinks('offers:deliver', linkMembers)
export class OffersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly secrets: OfferSecrets,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  @Post()
  @RequiresScope('offers:write')
  @Idempotent(preferredRepresentation)
  async open(@Body() body: OpenOfferBody, @Headers('accept') accept: string | undefined): Promise<HttpReply> {
    const wanted = preferredRepresentation(accept);
    const transactionCode = transactionCodeOf(body);
    if (transactionCode && wanted !== 'application/json') {
      throw new Problem(
        'not-acceptable',
        'An offer with a transaction code is answered as JSON: the code is shown once.',
      );
    }
    const opened = await this.commands.execute(
      new OpenOffer(body.offerId, templateIdsOf(body), lifetimeOf(body), transactionCode, isPublicOffer(body)),
    );
    const status = opened.isNew ? 201 : 200;
    if (wanted !== 'application/json') return shownLink(this.links(opened.offer).credentialOffer, wanted, status);
    const view = this.openedView(opened);
    return opened.isNew ? created(addressOf(opened.offer), view) : new HttpReply(200, view);
  }

  @Get()
  @RequiresScope('offers:read')
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const state = parseChoice(query, 'state', publicStates);
    const { items, nextCursor, now } = await this.queries.execute(new ListOffers(parsePageQuery(query), state));
    return { items: items.map((one) => offerView(one.state, now, one.createdAt)), nextCursor };
  }

  @Get(':offerId')
  @RequiresScope('offers:read')
  async get(@Param('offerId') offerId: string): Promise<unknown> {
    const { offer, now, createdAt, claims, history } = await this.queries.execute(new GetOfferHistory(offerId));
    return {
      ...offerView(offer, now, createdAt),
      ...(offer.isPublic && { claims }),
      ...this.links(offer),
      timeline: timelineOf(history, describeOfferEvent),
    };
  }

  @Get(':offerId/qr.svg')
  @RequiresScope('offers:deliver')
  async svg(@Param('offerId') offerId: string): Promise<HttpReply> {
    return this.show(offerId, 'image/svg+xml');
  }

  @Get(':offerId/qr.png')
  @RequiresScope('offers:deliver')
  async png(@Param('offerId') offerId: string): Promise<HttpReply> {
    return this.show(offerId, 'image/png');
  }

  @Get(':offerId/page')
  @RequiresScope('offers:deliver')
  async page(@Param('offerId') offerId: string): Promise<HttpReply> {
    return linkPage('Your credential is ready', this.links(await this.offer(offerId)).credentialOffer);
  }

  @Post(':offerId/send')
  @RequiresScope('offers:deliver')
  @HttpCode(204)
  async send(@Param('offerId') offerId: string, @Body() body: SendOfferBody): Promise<void> {
    const { credentialOfferUri } = this.links(await this.offer(offerId));
    await this.commands.execute(new SendOffer(offerId, credentialOfferUri, targetOf(body)));
  }

  @Post(':offerId/reopen')
  @RequiresScope('offers:write')
  @HttpCode(200)
  @Idempotent()
  async reopen(@Param('offerId') offerId: string, @Body() body: ReopenOfferBody): Promise<unknown> {
    const transactionCode = newTransactionCodeOf(body);
    const options = { expiresIn: lifetimeOf(body), transactionCode, by: currentPrincipal()?.id };
    return this.openedView(await this.commands.execute(new ReopenOffer(offerId, options)));
  }

  @Post(':offerId/take_offline')
  @RequiresScope('offers:write')
  @HttpCode(204)
  async takeOffline(@Param('offerId') offerId: string): Promise<void> {
    await this.commands.execute(new SwitchOffer(offerId, 'offline'));
  }

  @Post(':offerId/take_online')
  @RequiresScope('offers:write')
  @HttpCode(204)
  async takeOnline(@Param('offerId') offerId: string): Promise<void> {
    await this.commands.execute(new SwitchOffer(offerId, 'online'));
  }

  @Delete(':offerId')
  @RequiresScope('offers:write')
  @HttpCode(204)
  async withdraw(@Param('offerId') offerId: string): Promise<void> {
    await this.commands.execute(new WithdrawOffer(offerId));
  }

  private async offer(offerId: string): Promise<Offer> {
    return (await this.queries.execute(new GetOffer(offerId))).offer;
  }

  private async show(offerId: string, as: BareLink): Promise<HttpReply> {
    return shownLink(this.links(await this.offer(offerId)).credentialOffer, as);
  }

  private links(offer: Offer) {
    const credentialOfferUri = this.urls.offer(this.secrets.handles.textOf(offer));
    return {
      credentialOffer: credentialOfferLink(credentialOfferUri),
      credentialOfferUri,
      links: pictureAddresses(addressOf(offer)),
    };
  }

  private openedView({ offer, now, transactionCode }: NewOfferView): unknown {
    return {
      offerId: offer.offerId,
      ...this.links(offer),
      state: publicState(offer, now),
      expiresAt: offer.expiresAt,
      ...(transactionCode !== undefined && { txCode: transactionCode }),
    };
  }
}

function addressOf({ offerId }: Offer): string {
  return `/v0/offers/${encodeURIComponent(offerId)}`;
}

function offerView(offer: Offer, now: Date, createdAt: Date): Record<string, unknown> {
  const { offerId, credentials, expiresAt, transactionCode, wrongTransactionCodes } = offer;
  return {
    offerId,
    state: publicState(offer, now),
    credentials,
    createdAt: createdAt.toISOString(),
    expiresAt,
    ...(offer.status === 'redeemed' && { redeemedAt: offer.redeemedAt }),
    txCodeRequired: transactionCode !== undefined,
    wrongTxCodes: wrongTransactionCodes,
    ...(offer.isPublic && { public: true }),
    ...(offer.claimOf !== undefined && { claimOf: offer.claimOf }),
  };
}
