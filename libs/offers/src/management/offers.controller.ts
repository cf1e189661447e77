import {
  type Answer,
  Implements,
  type Input,
  Resource,
  assertConditions,
  entityTag,
  inOrderOfTime,
  shownLink,
  timelineOf,
  created,
  currentPrincipal,
  HttpReply,
  redirectTo,
} from '@app/http';
import type { PageAddresses } from '@app/pages';
import { Problem } from '@app/primitives/problems';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { SendOffer } from '../wallet/delivery.handlers';
import { Offer, publicState } from '../offer/offer';
import { addressOf, OfferLinks } from './offer-links';
import { offerEvents } from '../marks/offer-events';
import { authorizationOf, kindOf, offers } from './offers.contract';
import { transactionCodeOf } from './transaction-code.contract';
import { recipientOf } from './recipient.contract';
import { GetOffer, GetOfferHistory, ListOffers, type OfferView, SwitchOffer, WithdrawOffer } from './offers.handlers';
import { type NewOfferView, OpenOffer } from './opening.handlers';
import { grantsOf } from '../offer/offer-grants';
import { ReopenOffer } from './reopening.handlers';

@Resource(offers)
export class OffersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly links: OfferLinks,
  ) {}

  @Implements(offers.open)
  async open({ body, mediaType }: Input<typeof offers.open>): Promise<HttpReply> {
    const transactionCode = transactionCodeOf(body.txCode);
    if (transactionCode && mediaType !== 'application/json') {
      throw new Problem(
        'not-acceptable',
        'An offer with a transaction code is answered as JSON: the code is shown once.',
      );
    }
    const { offerId, templateIds = [], expiresIn } = body;
    const opened = await this.commands.execute(
      new OpenOffer(
        offerId,
        templateIds,
        expiresIn,
        transactionCode,
        kindOf(body),
        authorizationOf(body),
        recipientOf(body.recipient),
      ),
    );
    const status = opened.isNew ? 201 : 200;
    if (mediaType !== 'application/json')
      return shownLink(this.links.of(opened.offer).credentialOffer, mediaType, status);
    const view = this.openedView(opened);
    return opened.isNew ? created(addressOf(opened.offer), view) : new HttpReply(200, view);
  }

  @Implements(offers.list)
  async list({ query }: Input<typeof offers.list>): Promise<Answer<typeof offers.list>> {
    const { items, nextCursor, now } = await this.queries.execute(new ListOffers(query.page, query.state));
    return { items: items.map((one) => offerView(one.state, now, one.createdAt)), nextCursor };
  }

  @Implements(offers.get)
  async get({ params: { offerId } }: Input<typeof offers.get>): Promise<HttpReply> {
    const { offer, now, version, createdAt, claims, history, outcomes } = await this.queries.execute(
      new GetOfferHistory(offerId),
    );
    const view = {
      ...offerView(offer, now, createdAt),
      ...(offer.isPublic && { claims }),
      ...this.links.of(offer),
      timeline: inOrderOfTime(timelineOf(history, offerEvents), outcomes),
    };
    return new HttpReply(200, view, { ETag: tagOf({ offer, version, now }, claims + outcomes.length) });
  }

  @Implements(offers.svg)
  svg({ params: { offerId } }: Input<typeof offers.svg>): Promise<HttpReply> {
    return this.redirect(offerId, 'qrSvg');
  }

  @Implements(offers.png)
  png({ params: { offerId } }: Input<typeof offers.png>): Promise<HttpReply> {
    return this.redirect(offerId, 'qrPng');
  }

  @Implements(offers.page)
  page({ params: { offerId } }: Input<typeof offers.page>): Promise<HttpReply> {
    return this.redirect(offerId, 'page');
  }

  @Implements(offers.send)
  async send({ params: { offerId }, body, conditions }: Input<typeof offers.send>): Promise<void> {
    const { offer, version } = await this.queries.execute(new GetOffer(offerId));
    assertConditions(conditions, version);
    await this.sendTo(offer, body.targetUrl);
  }

  @Implements(offers.sendNamed)
  async sendNamed({ body: { offerId, targetUrl } }: Input<typeof offers.sendNamed>): Promise<void> {
    await this.sendTo((await this.queries.execute(new GetOffer(offerId))).offer, targetUrl);
  }

  @Implements(offers.reopen)
  async reopen({ params: { offerId }, body, conditions }: Input<typeof offers.reopen>): Promise<HttpReply> {
    const transactionCode = transactionCodeOf(body.txCode);
    const terms = { expiresIn: body.expiresIn, transactionCode, by: currentPrincipal()?.id };
    const reopened = await this.commands.execute(new ReopenOffer(offerId, terms, conditions));
    return new HttpReply(200, this.openedView(reopened), { ETag: tagOf(reopened) });
  }

  @Implements(offers.takeOffline)
  async takeOffline({ params: { offerId }, conditions }: Input<typeof offers.takeOffline>): Promise<void> {
    await this.commands.execute(new SwitchOffer(offerId, 'offline', conditions));
  }

  @Implements(offers.takeOnline)
  async takeOnline({ params: { offerId }, conditions }: Input<typeof offers.takeOnline>): Promise<void> {
    await this.commands.execute(new SwitchOffer(offerId, 'online', conditions));
  }

  @Implements(offers.withdraw)
  async withdraw({ params: { offerId }, conditions }: Input<typeof offers.withdraw>): Promise<void> {
    await this.commands.execute(new WithdrawOffer(offerId, conditions));
  }

  private async sendTo(offer: Offer, targetUrl: string): Promise<void> {
    const { credentialOfferUri } = this.links.of(offer);
    await this.commands.execute(new SendOffer(offer.offerId, credentialOfferUri, new URL(targetUrl)));
  }

  private async redirect(offerId: string, to: keyof PageAddresses): Promise<HttpReply> {
    const { offer } = await this.queries.execute(new GetOffer(offerId));
    return redirectTo(this.links.of(offer).links[to]);
  }

  private openedView({ offer, now, transactionCode }: NewOfferView): Answer<typeof offers.open> {
    return {
      offerId: offer.offerId,
      ...this.links.of(offer),
      state: publicState(offer, now),
      expiresAt: offer.expiresAt,
      ...(transactionCode !== undefined && { txCode: transactionCode }),
    };
  }
}

/** An offer expires, and is claimed or its credentials are issued, without an event of its own. @param others how many of these there are */
function tagOf({ offer, version, now }: Omit<OfferView, 'createdAt'>, others = 0): string {
  return entityTag(version, `${publicState(offer, now)}-${others}`);
}

function offerView(offer: Offer, now: Date, createdAt: Date): Answer<typeof offers.list>['items'][number] {
  const { offerId, credentials, expiresAt, transactionCode, wrongTransactionCodes, byAuthorization } = offer;
  return {
    offerId,
    state: publicState(offer, now),
    credentials: credentials.map(({ isAwaited, ...one }) => ({ ...one, ...(isAwaited && { awaitsData: true }) })),
    createdAt: createdAt.toISOString(),
    expiresAt,
    ...(offer.status === 'redeemed' && { redeemedAt: offer.redeemedAt }),
    txCodeRequired: transactionCode !== undefined,
    wrongTxCodes: wrongTransactionCodes,
    ...(offer.isPublic && { public: true }),
    ...(offer.isDeferred && { deferred: true }),
    ...(byAuthorization && {
      grants: grantsOf(offer),
      identification: byAuthorization.identification,
      ...(byAuthorization.sealedSubject !== undefined && { subjectExpected: true }),
    }),
    ...(offer.claimOf !== undefined && { claimOf: offer.claimOf }),
  };
}
