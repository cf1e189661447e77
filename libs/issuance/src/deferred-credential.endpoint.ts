import { type AccessToken, WalletTokens } from '@app/authorization';
import { RawBody, WalletErrorFilter, walletJson } from '@app/http';
import { parseDeferredRequest } from '@app/openid4vc';
import { type HttpReply, PublicEndpoint } from '@app/web';
import { Body, Controller, Headers, Post, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { IssueCredential, type Transaction } from './issue.handlers';
import { Refusals } from './refusals';
import { WalletAnswers } from './wallet-answers';

/** The deferred credential endpoint (OpenID4VCI 1.0 §9); answers have the dialect of the credential request. */
@Controller('openid4vci')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class DeferredCredentialEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly tokens: WalletTokens,
    private readonly answers: WalletAnswers,
    private readonly refusals: Refusals,
  ) {}

  // Each metadata document names its own address; what is asked there is alike.
  @Post(['deferred_credential', 'draft-13/deferred_credential'])
  async collect(
    @Body() body: RawBody,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<HttpReply> {
    // Draft 11 §9: it names the credential, and there is no body.
    const acceptance = this.tokens.acceptance(authorization);
    const token = acceptance?.token ?? this.tokens.bearer(authorization);
    try {
      if (acceptance) return await this.answer(token, acceptance, '');
      const transactionId = parseDeferredRequest(walletJson(body, 'invalid_credential_request'));
      return await this.answer(token, { index: this.tokens.readTransactionId(transactionId, token) }, transactionId);
    } catch (error) {
      const about = acceptance && ({ generation: 'draft 11' } as const);
      await this.refusals.note(token.grant, error, { endpoint: 'deferred-credential', ...about });
      throw error;
    }
  }

  private async answer(token: AccessToken, transaction: Transaction, transactionId: string): Promise<HttpReply> {
    const result = await this.commands.execute(new IssueCredential(token, { index: transaction.index }));
    return result.outcome === 'issued'
      ? this.answers.issued(result, token, true)
      : this.answers.stillPending(result, transactionId);
  }
}
