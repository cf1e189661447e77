import { type JwksKey, renderJwks } from '../wire/public-jwk';
import { type WalletUrls } from './wallet-urls';

/**
 * JWT VC issuer metadata (SD-JWT VC, `/.well-known/jwt-vc-issuer`): where a verifier finds the keys behind an https
 * `iss`. Exactly one of `jwks` and `jwks_uri` may be there; inline saves the verifier a request.
 */
export function renderJwtVcIssuerMetadata(urls: WalletUrls, keys: readonly JwksKey[]): Record<string, unknown> {
  return { issuer: urls.issuer, jwks: renderJwks(keys) };
}
