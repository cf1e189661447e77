import { type AccessToken, DpopProofs, WalletAuthentication, WalletTokens } from '@app/authorization';
import { RawBody, WalletErrorFilter, type HttpReply, PublicEndpoint, StopsWith, OffersHeaders } from '@app/http';
import { type CredentialEndpointVersion, parseDeferredRequest } from '@app/openid4vc';
import { Body, Controller, Post, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { CredentialEncryption } from './credential-encryption';
import { IssueCredentials, type Transaction } from './issue.handlers';
import { CredentialRefusals } from '../credential/refusals';
import { WalletAnswers } from './wallet-answers';

/** The deferred credential endpoint (OpenID4VCI 1.0 §9); answers have the dialect of the credential request. */
@Controller('openid4vci')
@PublicEndpoint('wallets')
@StopsWith('issuing')
@UseFilters(WalletErrorFilter)
@OffersHeaders(DpopProofs)
export class DeferredCredentialEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly tokens: WalletTokens,
    private readonly wallets: WalletAuthentication,
    private readonly encryption: CredentialEncryption,
    private readonly answers: WalletAnswers,
    private readonly refusals: CredentialRefusals,
  ) {}

  @Post('deferred_credential')
  final(@Body() body: RawBody, @Req() incoming: IncomingMessage): Promise<HttpReply> {
    return this.collect(body, incoming, 'final');
  }

  /** The address that only the draft-13 document names. */
  @Post('draft-13/deferred_credential')
  draft13(@Body() body: RawBody, @Req() incoming: IncomingMessage): Promise<HttpReply> {
    return this.collect(body, incoming, 'draft-13');
  }

  private async collect(
    body: RawBody,
    incoming: IncomingMessage,
    endpoint: CredentialEndpointVersion,
  ): Promise<HttpReply> {
    // Draft 11 §9: it names the credential, and there is no body.
    const acceptance = this.tokens.acceptance(incoming.headers.authorization);
    const token = acceptance?.token ?? this.wallets.authenticate(incoming);
    try {
      return acceptance
        ? await this.answer(token, { index: acceptance.index }, '', false)
        : await this.answerRequest(body, token, endpoint === 'draft-13');
    } catch (error) {
      const about = acceptance && ({ generation: 'draft 11' } as const);
      await this.refusals.note(token.grant, error, { endpoint: 'deferred-credential', ...about });
      throw error;
    }
  }

  private async answerRequest(body: RawBody, token: AccessToken, isEarlier: boolean): Promise<HttpReply> {
    const { json, isRequestEncrypted } = await this.encryption.read(body);
    const { isRequired } = this.encryption;
    const rules = { isRequestEncrypted, isRequired, isEarlier };
    const { transactionId, responseEncryption } = parseDeferredRequest(json, rules);
    this.encryption.assertUsable(responseEncryption);
    const transaction = this.tokens.readTransactionId(transactionId, token) ?? {};
    const answer = await this.answer(token, transaction, transactionId, responseEncryption !== undefined);
    return this.encryption.reply(answer, responseEncryption);
  }

  private async answer(
    token: AccessToken,
    transaction: Transaction,
    transactionId: string,
    isEncrypted: boolean,
  ): Promise<HttpReply> {
    const [result] = await this.commands.execute(new IssueCredentials(token, { transaction }));
    return result.outcome === 'issued'
      ? this.answers.collected(result, token, isEncrypted)
      : this.answers.stillPending(result, transactionId);
  }
}
