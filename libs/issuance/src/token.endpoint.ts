import { PublicEndpoint } from '@app/access';
import { formParameters, RawBody } from '@app/http';
import { Redeemed, RedeemOffer } from '@app/offers';
import { OAuthError, parseTokenRequest, renderTokenResponse } from '@app/openid4vc';
import { WalletErrorFilter } from '@app/problem-details';
import { Body, Controller, Header, HttpCode, Post, UseFilters, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { FailedTokenRequests, WrongTransactionCodeError } from './failed-token-requests';
import { accessTokenLifetime, nonceLifetime, WalletTokens } from './wallet-tokens';

type Refusal = Extract<Redeemed, { outcome: 'refused' }>['reason'];

/** OAuth token endpoint with the pre-authorized code grant (OpenID4VCI 1.0 §6, drafts 11 to 15 alike). */
@Controller('openid4vci/token')
@PublicEndpoint()
@UseFilters(WalletErrorFilter)
@UseInterceptors(FailedTokenRequests)
export class TokenEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly tokens: WalletTokens,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async token(@Body() body: RawBody): Promise<unknown> {
    const request = parseTokenRequest(formParameters(body));
    const { preAuthorizedCode, transactionCode, requestedConfigurationIds } = request;
    const redeemed = await this.commands.execute(
      new RedeemOffer(preAuthorizedCode, transactionCode, requestedConfigurationIds),
    );
    if (redeemed.outcome === 'refused') throw refusalOf(redeemed.reason);
    const { handle, configurationIds, now } = redeemed;
    return renderTokenResponse({
      accessToken: this.tokens.issueAccessToken(handle, now),
      expiresIn: accessTokenLifetime,
      nonce: this.tokens.issueNonce(now, handle),
      nonceExpiresIn: nonceLifetime,
      ...(requestedConfigurationIds && { authorizedConfigurationIds: configurationIds }),
    });
  }
}

function refusalOf(reason: Refusal): OAuthError {
  switch (reason) {
    case 'transaction-code-missing':
      return new OAuthError('invalid_request', 'This offer needs the transaction code: send it as tx_code.');
    case 'transaction-code-unexpected':
      return new OAuthError('invalid_request', 'This offer has no transaction code: leave out tx_code.');
    case 'transaction-code-wrong':
      return new WrongTransactionCodeError();
    case 'configuration-not-offered':
      return new OAuthError(
        'invalid_authorization_details',
        'authorization_details names a credential configuration that is not part of the offer.',
      );
    case 'unknown-code':
    case 'not-open':
      // One answer for a code that never was, is over, was used or was locked.
      return new OAuthError('invalid_grant', 'The pre-authorized code is unknown, expired or used.');
  }
}
