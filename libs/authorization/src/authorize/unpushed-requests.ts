import { WALLET_URLS } from '@app/identity';
import { renderCodeResponse, type WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { RegisteredClients } from '../clients/registered-clients';

/** Requests that come to the authorization endpoint without having been pushed. */
@Injectable()
export class UnpushedRequests {
  constructor(
    private readonly clients: RegisteredClients,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /**
   * The way back to a client that the operator has registered with this very address, with `invalid_request`; `undefined` for
   * all others, as an address that nobody has vouched for must not be opened.
   */
  wayBack(query: URLSearchParams): string | undefined {
    const redirectUri = query.get('redirect_uri');
    if (query.has('request_uri') || redirectUri === null) return undefined;
    const client = this.clients.find(query.get('client_id') ?? '');
    if (!client?.redirectUris?.includes(redirectUri)) return undefined;
    const about = { state: query.get('state') ?? undefined, issuer: this.urls.issuer };
    return renderCodeResponse(redirectUri, { error: 'invalid_request' }, about);
  }
}
