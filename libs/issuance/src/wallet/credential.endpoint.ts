import { type AccessToken, DpopProofs, WalletAuthentication } from '@app/authorization';
import {
  RawBody,
  WalletErrorFilter,
  type HttpReply,
  PublicEndpoint,
  CountsAs,
  StopsWith,
  OffersHeaders,
} from '@app/http';
import {
  type CredentialEndpointVersion,
  walletGenerationOf,
  OAuthError,
  parseBatchCredentialRequest,
  parseCredentialRequest,
  requestClassOf,
  type WalletRefusal,
} from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Body, Controller, Post, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { CredentialEncryption } from './credential-encryption';
import { IssueCredentials } from './issue.handlers';
import { batchSize } from './proof-verifier';
import { CredentialRefusals } from '../credential/refusals';
import { WalletAnswers } from './wallet-answers';

/** The credential endpoint (OpenID4VCI 1.0 §8); the shape of a request decides its dialect. */
@Controller('openid4vci')
@PublicEndpoint('wallets')
@StopsWith('issuing')
@CountsAs('credentials')
@UseFilters(WalletErrorFilter)
@OffersHeaders(DpopProofs)
export class CredentialEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly wallets: WalletAuthentication,
    private readonly encryption: CredentialEncryption,
    private readonly answers: WalletAnswers,
    private readonly refusals: CredentialRefusals,
  ) {}

  @Post('credential')
  credential(@Body() body: RawBody, @Req() incoming: IncomingMessage): Promise<HttpReply> {
    return this.issue(body, incoming, 'final');
  }

  /** The address that only the draft-13 document names: who calls it has read that one. */
  @Post('draft-13/credential')
  draft13(@Body() body: RawBody, @Req() incoming: IncomingMessage): Promise<HttpReply> {
    return this.issue(body, incoming, 'draft-13');
  }

  /** Several credentials in one request, all of them or none (draft 13 §8). */
  @Post('draft-13/batch_credential')
  async batch(@Body() body: RawBody, @Req() incoming: IncomingMessage): Promise<HttpReply> {
    const token = this.wallets.authenticate(incoming);
    return this.refusing(
      token,
      () => ({ generation: 'draft 13' }),
      async () => {
        const { json, isRequestEncrypted } = await this.encryption.read(body);
        const requests = parseBatchCredentialRequest(json, {
          isRequestEncrypted,
          isRequired: this.encryption.isRequired,
        });
        const [{ responseEncryption }] = requests;
        this.encryption.assertUsable(responseEncryption);
        const results = await this.commands.execute(new IssueCredentials(token, { requests }));
        return this.encryption.reply(this.answers.batch(results, token), responseEncryption);
      },
    );
  }

  private issue(body: RawBody, incoming: IncomingMessage, endpoint: CredentialEndpointVersion): Promise<HttpReply> {
    const token = this.wallets.authenticate(incoming);
    let json: unknown;
    const about = () => {
      const requestClass = requestClassOf(json);
      const generation = walletGenerationOf({ endpoint, ...(requestClass && { requestClass }) });
      return { ...(generation && { generation }), ...(requestClass && { requestClass }) };
    };
    return this.refusing(token, about, () =>
      whenThere(this.encryption.read(body), (read) => {
        json = read.json;
        const { isRequestEncrypted } = read;
        const { isRequired } = this.encryption;
        const request = parseCredentialRequest(json, { endpoint, batchSize, isRequestEncrypted, isRequired });
        this.encryption.assertUsable(request.responseEncryption);
        return this.commands.execute(new IssueCredentials(token, { requests: [request] })).then(([result]) => {
          const reply =
            result.outcome === 'issued' ? this.answers.issued(result, token) : this.answers.deferred(result, token);
          return this.encryption.reply(reply, request.responseEncryption);
        });
      }),
    );
  }

  /** Answers, or notes with what the token is for why the wallet is refused. */
  private async refusing(
    token: AccessToken,
    about: () => Pick<WalletRefusal, 'generation' | 'requestClass'>,
    answer: () => Awaitable<HttpReply>,
  ): Promise<HttpReply> {
    try {
      return await answer();
    } catch (error) {
      await this.refusals.note(token.grant, error, { endpoint: 'credential', ...about() });
      throw error instanceof OAuthError ? this.answers.refusal(error, token) : error;
    }
  }
}
