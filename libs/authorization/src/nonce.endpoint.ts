import { EventStore } from '@app/event-store';
import { WalletErrorFilter, PublicEndpoint } from '@app/http';
import { renderNonceResponse } from '@app/openid4vc';
import { Controller, Header, HttpCode, Post, UseFilters, UseGuards } from '@nestjs/common';
import { OfferDpopNonce } from './dpop/offer-dpop-nonce';
import { WalletTokens } from './wallet-tokens';

/** Nonce endpoint (OpenID4VCI 1.0 §7): open to everyone, every answer another nonce; and one for DPoP proofs. */
@Controller('openid4vci/nonce')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
@UseGuards(OfferDpopNonce)
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
