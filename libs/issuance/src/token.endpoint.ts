import { formParameters, RawBody, WalletErrorFilter } from '@app/http';
import { RecordLostAnswer, Redeemed, RedeemOffer } from '@app/offers';
import { OAuthError, parseTokenRequest, renderTokenResponse } from '@app/openid4vc';
import { RateLimiter } from '@app/rate-limits';
import { clientAddressOf, outsideRequest, PublicEndpoint } from '@app/web';
import { Body, Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accessTokenLifetime, nonceLifetime, WalletTokens } from './wallet-tokens';

type Refusal = Extract<Redeemed, { outcome: 'refused' }>['reason'];

/** OAuth token endpoint with the pre-authorized code grant (OpenID4VCI 1.0 §6, drafts 11 to 15 alike). */
@Controller('openid4vci/token')
@PublicEndpoint()
@UseFilters(WalletErrorFilter)
export class TokenEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly tokens: WalletTokens,
    private readonly limiter: RateLimiter,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async token(
    @Body() body: RawBody,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<unknown> {
    const parameters = parseTokenRequest(formParameters(body));
    const { preAuthorizedCode, transactionCode, requestedConfigurationIds, clientId } = parameters;
    const address = clientAddressOf(request);
    // A pre-authorized code is not guessed, so a wallet that needs no transaction code never meets a limit.
    if (transactionCode !== undefined) this.refuseTooManyGuesses(address);
    const redeemed = await this.commands.execute(
      new RedeemOffer(preAuthorizedCode, transactionCode, requestedConfigurationIds, clientId),
    );
    if (redeemed.outcome === 'refused') {
      if (redeemed.reason === 'transaction-code-wrong') await this.limiter.count('wrong-transaction-code', address);
      throw refusalOf(redeemed.reason);
    }
    const { handleHash, configurationIds, redeemedAt, now } = redeemed;
    this.noteWhenLost(response, handleHash);
    return renderTokenResponse({
      // The same token in each answer to one redemption.
      accessToken: this.tokens.issueAccessToken(handleHash, redeemedAt, clientId),
      expiresIn: accessTokenLifetime - Math.ceil((now.getTime() - redeemedAt.getTime()) / 1000),
      nonce: this.tokens.issueNonce(now, handleHash),
      nonceExpiresIn: nonceLifetime,
      ...(requestedConfigurationIds && { authorizedConfigurationIds: configurationIds }),
    });
  }

  /** A wallet whose connection ended before the answer was out may ask again at once. */
  private noteWhenLost(response: ServerResponse, handleHash: Buffer): void {
    const note = (): void => {
      if (response.writableFinished) return;
      // Without the note the wallet can ask again as well, a little later.
      outsideRequest(() => this.commands.execute(new RecordLostAnswer(handleHash))).catch(() => undefined);
    };
    if (response.destroyed) note();
    else response.once('close', note);
  }

  /** Refuses right transaction codes, too: an answer would tell which guess was right. */
  private refuseTooManyGuesses(address: string): void {
    const seconds = this.limiter.secondsToWait('wrong-transaction-code', address);
    if (seconds === undefined) return;
    const description = `Too many wrong transaction codes from this address: try again in ${seconds} s.`;
    throw new OAuthError('temporarily_unavailable', description, {
      status: 429,
      headers: { 'Retry-After': String(seconds) },
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
      return new OAuthError('invalid_grant', 'The transaction code is wrong.');
    case 'configuration-not-offered':
      return new OAuthError(
        'invalid_authorization_details',
        'authorization_details names a credential configuration that is not part of the offer.',
      );
    case 'not-issued':
      return new OAuthError(
        'invalid_grant',
        'The credentials of this offer are not issued at present; ask the issuer.',
      );
    case 'unknown-code':
    case 'not-open':
      // One answer for a code that never was, is over, was used or was locked.
      return new OAuthError('invalid_grant', 'The pre-authorized code is unknown, expired or used.');
  }
}
