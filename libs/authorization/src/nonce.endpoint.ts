import { EventStore } from '@app/event-store';
import { WalletErrorFilter } from '@app/http';
import { renderNonceResponse } from '@app/openid4vc';
import { PublicEndpoint } from '@app/web';
import { Controller, Header, HttpCode, Post, Res, UseFilters } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { DpopProofs } from './dpop/dpop-proofs';
import { WalletTokens } from './wallet-tokens';

/** Nonce endpoint (OpenID4VCI 1.0 §7): open to everyone, every answer another nonce. */
@Controller('openid4vci/nonce')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class NonceEndpoint {
  constructor(
    private readonly store: EventStore,
    private readonly tokens: WalletTokens,
    private readonly proofs: DpopProofs,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  nonce(@Res({ passthrough: true }) response: ServerResponse): unknown {
    // Wallets of the high assurance profile take both nonces from here.
    response.setHeader('DPoP-Nonce', this.proofs.nonce());
    return renderNonceResponse(this.tokens.issueNonce(this.store.clock()));
  }
}
