import { EventStore } from '@app/event-store';
import { WalletErrorFilter, PublicEndpoint, OffersHeaders } from '@app/http';
import { renderNonceResponse } from '@app/openid4vc';
import { Controller, Header, HttpCode, Post, UseFilters } from '@nestjs/common';
import { DpopProofs } from './dpop/dpop-proofs';
import { WalletTokens } from './wallet-tokens';

/** Nonce endpoint (OpenID4VCI 1.0 §7): open to everyone, every answer another nonce; and one for DPoP proofs. */
@Controller('openid4vci/nonce')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
@OffersHeaders(DpopProofs)
export class NonceEndpoint {
  constructor(
    private readonly store: EventStore,
    private readonly tokens: WalletTokens,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  nonce(): unknown {
    return renderNonceResponse(this.tokens.issueNonce(this.store.clock()));
  }
}
