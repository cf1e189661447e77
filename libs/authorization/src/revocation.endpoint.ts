import { formParameters, RawBody, WalletErrorFilter, PublicEndpoint } from '@app/http';
import { OAuthError, parseRevocationRequest } from '@app/openid4vc';
import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AuthorizationRevocations } from './authorization-revocations';
import { ClientAuthentication } from './clients/client-authentication';
import { DpopProofs } from './dpop/dpop-proofs';
import { replayedProof } from './replayed-proof';

/** Token revocation (RFC 7009): a wallet gives back what it got by authorization code. */
@Controller('openid4vci/revoke')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class RevocationEndpoint {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly proofs: DpopProofs,
    private readonly revocations: AuthorizationRevocations,
  ) {}

  /** The answer is empty, also to a token that is unknown or has ended (RFC 7009 §2.2). */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async revoke(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<void> {
    const parameters = formParameters(body);
    const token = parseRevocationRequest(parameters);
    const client = await this.clients.authenticateNamed({ request, parameters, proofs: this.proofs });
    const revoked = Promise.resolve(this.revocations.revokeToken(token, client));
    const refusal = await revoked.catch((error: unknown) => {
      throw replayedProof(error) ?? error;
    });
    if (refusal === 'pre-authorized') {
      throw new OAuthError(
        'unsupported_token_type',
        'Tokens for a pre-authorized code cannot be revoked; they expire within minutes.',
        { reason: refusal },
      );
    }
    if (refusal) throw new OAuthError('invalid_grant', 'The token was given to another client.', { reason: refusal });
  }
}
