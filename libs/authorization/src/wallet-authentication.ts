import { OAuthError, parseAccessToken, wrongSchemeError } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { DpopProofs } from './dpop/dpop-proofs';
import { type AccessToken, WalletTokens } from './wallet-tokens';

/** Who calls an endpoint that needs an access token. */
@Injectable()
export class WalletAuthentication {
  constructor(
    private readonly tokens: WalletTokens,
    private readonly proofs: DpopProofs,
  ) {}

  /** The token of a request, with the proof of the key that it is bound to; its expiry is left to the caller. Throws `OAuthError`. */
  authenticate(request: IncomingMessage): AccessToken {
    const { scheme, token: accessToken } = parseAccessToken(request.headers.authorization);
    const token = this.tokens.readAccessToken(accessToken);
    if (!token) {
      throw new OAuthError('invalid_token', 'The access token was not issued here.', { reason: 'token-unknown' });
    }
    if (scheme === 'Bearer') {
      if (!token.thumbprint) return token;
      throw wrongSchemeError('The access token is bound to a key: send it with the scheme DPoP and a proof.');
    }
    if (!token.thumbprint) {
      throw new OAuthError('invalid_token', 'The access token is bound to no key: send it with the scheme Bearer.', {
        reason: 'token-scheme',
      });
    }
    const place = 'resource';
    const key = this.proofs.verify({ request, place, accessToken });
    if (!key) throw this.proofs.refusal('invalid_dpop_proof', 'The DPoP header with a proof is missing.', place);
    if (!Buffer.from(key.thumbprint, 'base64url').equals(token.thumbprint)) {
      const description = 'The DPoP proof is not signed by the key that the access token is bound to.';
      throw this.proofs.refusal('invalid_dpop_proof', description, place);
    }
    return { ...token, uses: key.uses };
  }
}
