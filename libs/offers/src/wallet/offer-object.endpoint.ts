import { WalletErrorFilter, HttpReply, PublicEndpoint } from '@app/http';
import { WALLET_URLS } from '@app/identity';
import { OAuthError, refusalOf, renderCredentialOffer, WalletUrls } from '@app/openid4vc';
import { Controller, Get, Inject, Param, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { FetchOffer, type Unfetchable } from './delivery.handlers';
import { hasGrant } from '../offer/offer-grants';
import { OfferSecrets } from '../offer/offer-secrets';
import { PendingOfferMarks } from '../marks/pending-marks';

/** The credential offer by reference (OpenID4VCI 1.0 §4.1.3); every fetch carries a fresh short-lived code. */
@Controller('openid4vci/offers')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class OfferObjectEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  @Get(':handle')
  async get(@Param('handle') text: string, @Req() { method }: IncomingMessage): Promise<HttpReply> {
    const handleHash = this.secrets.handles.hashOfText(text);
    const counts = method !== 'HEAD';
    const found = handleHash && (await this.commands.execute(new FetchOffer(handleHash, counts)));
    if (!found) throw refusalFor('not-open');
    if (typeof found === 'string') {
      const refused = refusalFor(found);
      if (counts) this.marks.refused(handleHash, refusalOf(refused, { endpoint: 'offer' }));
      throw refused;
    }
    const { offer, fetchedAt, transactionCode } = found;
    const object = renderCredentialOffer({
      issuer: this.urls.issuer,
      configurationIds: offer.credentials.map(({ configurationId }) => configurationId),
      grants: {
        ...(hasGrant(offer, 'authorization_code') && {
          authorizationCode: { issuerState: this.secrets.issuerState(offer) },
        }),
        ...(hasGrant(offer, 'pre-authorized_code') && {
          preAuthorizedCode: {
            preAuthorizedCode: this.secrets.issueCode(offer, fetchedAt),
            ...(transactionCode && { transactionCode }),
          },
        }),
      },
    });
    return new HttpReply(200, object, { 'Cache-Control': 'no-store' });
  }
}

function refusalFor(reason: Unfetchable): OAuthError {
  switch (reason) {
    // One answer for what never was, has expired or was accepted: no caller learns which handles existed.
    case 'not-open':
      return notFound(reason, 'There is no open credential offer at this address; it may have expired or been used.');
    // The handle is a secret of 256 bits: a caller who has it may learn that the offer exists.
    case 'data-missing':
      return notFound(reason, 'The issuer has not submitted the data of this credential offer yet; try again later.');
  }
}

function notFound(reason: Unfetchable, description: string): OAuthError {
  return new OAuthError('invalid_request', description, { status: 404, reason });
}
