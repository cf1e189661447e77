import type { GrantName } from '@app/offers';
import {
  formParameters,
  RawBody,
  WalletErrorFilter,
  clientAddressOf,
  outsideRequest,
  PublicEndpoint,
  StopsWith,
  OffersHeaders,
} from '@app/http';
import { describeRefusedRedemption, parseTokenRequest, renderTokenResponse } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Body, Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientAuthentication } from './clients/client-authentication';
import { WalletAttestations } from './clients/wallet-attestations';
import { DpopProofs } from './dpop/dpop-proofs';
import type { NewGrant, Requester } from './grants/grant-type';
import { GrantTypes } from './grants/grant-types';
import { GrantRefusals } from './refusals';
import { replayedProof } from './replayed-proof';
import { nonceLifetime, WalletTokens } from './wallet-tokens';

/** The OAuth token endpoint (OpenID4VCI 1.0 §6, drafts 11 to 15 alike); each grant type has its own file. */
@Controller('openid4vci/token')
@PublicEndpoint('wallets')
@StopsWith('issuing')
@UseFilters(WalletErrorFilter)
@OffersHeaders(DpopProofs, WalletAttestations)
export class TokenEndpoint {
  constructor(
    private readonly grants: GrantTypes,
    private readonly clients: ClientAuthentication,
    private readonly proofs: DpopProofs,
    private readonly tokens: WalletTokens,
    private readonly refusals: GrantRefusals,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async token(
    @Body() body: RawBody,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<unknown> {
    const parameters = formParameters(body);
    try {
      return await this.redeem(parameters, request, response);
    } catch (error) {
      const { shown, ...about } = describeRefusedRedemption(parameters);
      await this.refusals.note(shown, error, { endpoint: 'token', ...about });
      throw replayedProof(error) ?? error;
    }
  }

  private redeem(parameters: URLSearchParams, request: IncomingMessage, response: ServerResponse): Awaitable<unknown> {
    const tokenRequest = parseTokenRequest(parameters);
    return whenThere(this.clients.authenticate({ request, parameters, proofs: this.proofs }), (client) => {
      const key = this.proofs.keyOf(request, client, tokenRequest.grant);
      const by = { address: clientAddressOf(request), ...(client && { client }), ...(key && { key }) };
      return this.grants.redeem(tokenRequest, by).then((redeemed) => this.answer(redeemed, by, response));
    });
  }

  private answer(redeemed: NewGrant, { client, key }: Requester, response: ServerResponse): unknown {
    const { name, configurationIds, identifiersGiven, covers, isDeferred, grantedAt, now } = redeemed;
    this.noteWhenLost(response, name);
    return renderTokenResponse({
      // The same token in each answer to one redemption.
      accessToken: this.tokens.issueAccessToken(
        name,
        grantedAt,
        { clientId: client?.clientId, thumbprint: key?.thumbprint, covers },
        isDeferred,
      ),
      tokenType: key ? 'DPoP' : 'Bearer',
      expiresIn: this.tokens.lifetimeOfAccess(isDeferred) - Math.ceil((now.getTime() - grantedAt.getTime()) / 1000),
      // The headers of an attestation are younger than the nonce endpoint. Nothing else here tells 1.0 from a draft.
      ...(client?.method !== 'attest_jwt_client_auth' && { nonce: this.tokens.issueNonce(now, name) }),
      nonceExpiresIn: nonceLifetime,
      ...(redeemed.scope !== undefined && { scope: redeemed.scope }),
      ...(redeemed.refreshToken !== undefined && { refreshToken: redeemed.refreshToken }),
      ...(identifiersGiven && { authorizedConfigurationIds: configurationIds }),
    });
  }

  /** A wallet whose connection ended before the answer was out may ask again at once. */
  private noteWhenLost(response: ServerResponse, name: GrantName): void {
    const note = (): void => {
      if (response.writableFinished) return;
      // Without the note the wallet can ask again as well, a little later.
      outsideRequest(() => this.grants.recordLostAnswer(name)).catch(() => undefined);
    };
    if (response.destroyed) note();
    else response.once('close', note);
  }
}
