import { WalletErrorFilter } from '@app/http';
import { WALLET_URLS } from '@app/identity';
import { renderCredentialOffer, WalletUrls } from '@app/openid4vc';
import { HttpReply, PublicEndpoint } from '@app/web';
import { Controller, Get, Inject, Param, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { FetchOffer } from './delivery.handlers';
import { OfferSecrets } from './offer-secrets';

// One answer for what never was, has expired or was accepted: no caller learns which handles existed.
const noOpenOffer = {
  error: 'invalid_request',
  error_description: 'There is no open credential offer at this address; it may have expired or been used.',
};

// The handle is a secret of 256 bits: a caller who has it may learn that the offer exists.
const dataMissing = {
  error: 'invalid_request',
  error_description: 'The issuer has not submitted the data of this credential offer yet; try again later.',
};

/** The credential offer by reference (OpenID4VCI 1.0 §4.1.3); every fetch carries a fresh short-lived code. */
@Controller('openid4vci/offers')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class OfferObjectEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly secrets: OfferSecrets,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  @Get(':handle')
  async get(@Param('handle') text: string, @Req() { method }: IncomingMessage): Promise<HttpReply> {
    const handleHash = this.secrets.handles.hashOfText(text);
    const found = handleHash && (await this.commands.execute(new FetchOffer(handleHash, method !== 'HEAD')));
    if (found === 'awaits-data') return new HttpReply(404, dataMissing, { 'Cache-Control': 'no-store' });
    if (!found) return new HttpReply(404, noOpenOffer, { 'Cache-Control': 'no-store' });
    const { offer, fetchedAt, transactionCode } = found;
    const object = renderCredentialOffer({
      issuer: this.urls.issuer,
      configurationIds: offer.credentials.map(({ configurationId }) => configurationId),
      preAuthorizedCode: this.secrets.issueCode(offer, fetchedAt),
      ...(transactionCode && { transactionCode }),
    });
    return new HttpReply(200, object, { 'Cache-Control': 'no-store' });
  }
}
