import { Settings } from '@app/config';
import { formParameters, RawBody, WalletErrorFilter } from '@app/http';
import { WALLET_URLS } from '@app/identity';
import { OAuthError, parsePushedAuthorizationRequest, type WalletUrls } from '@app/openid4vc';
import { PublicEndpoint } from '@app/web';
import { Body, Controller, Header, Inject, Post, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AskedConfigurations } from './asked-configurations';
import { AuthorizationRequests } from './authorization-requests';
import { ClientAuthentication } from './clients/client-authentication';

/** Pushed authorization requests (RFC 9126): the only way to begin an authorization. */
@Controller('openid4vci/par')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class PushedRequestEndpoint {
  constructor(
    private readonly settings: Settings,
    private readonly clients: ClientAuthentication,
    private readonly asked: AskedConfigurations,
    private readonly requests: AuthorizationRequests,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  async push(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<unknown> {
    const parameters = formParameters(body);
    const client = await this.clients.authenticate({ endpoint: 'par', request, parameters });
    if (!client) throw new OAuthError('invalid_request', 'client_id is missing.', { reason: 'client-missing' });
    const pushed = parsePushedAuthorizationRequest(parameters, {
      issuer: this.urls.issuer,
      registered: client.redirectUris,
      allowLoopback: this.settings.profile === 'development',
    });
    const { redirectUri, codeChallenge, state, dpopThumbprint } = pushed;
    const { configurationIds, offerId } = await this.asked.of(pushed);
    const { requestUri, expiresIn } = await this.requests.push({
      client,
      redirectUri,
      codeChallenge,
      configurationIds,
      identifiersGiven: pushed.configurationIds !== undefined,
      ...(state !== undefined && { state }),
      ...(offerId !== undefined && { offerId }),
      ...(dpopThumbprint !== undefined && { dpopThumbprint }),
      uses: client.uses,
    });
    return { request_uri: requestUri, expires_in: expiresIn };
  }
}
