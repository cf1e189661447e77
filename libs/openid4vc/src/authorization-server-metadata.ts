import { supportedGrantTypes } from './token-request';
import { type WalletUrls } from './wallet-urls';

/**
 * RFC 8414 document of our authorization server; the same JSON at the inserted and the appended URL, and as
 * `openid-configuration`, since wallets differ in where they look.
 */
export function renderAuthorizationServerMetadata(urls: WalletUrls): Record<string, unknown> {
  return {
    issuer: urls.issuer,
    token_endpoint: urls.token,
    jwks_uri: urls.jwks,
    grant_types_supported: supportedGrantTypes,
    // RFC 8414 §2 requires the member and strict parsers insist; without authorization endpoint it applies to nothing.
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: ['none'],
    // OpenID4VCI 1.0 §12.3: the pre-authorized code may be redeemed without a client_id.
    'pre-authorized_grant_anonymous_access_supported': true,
    authorization_details_types_supported: ['openid_credential'],
  };
}
