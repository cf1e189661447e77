import { ADVERTISED_DPOP_ALGORITHMS } from '../token/dpop/dpop-errors';
import { supportedGrantTypes } from '../token/token-request';
import { type WalletUrls } from './wallet-urls';

/** How clients authenticate, with the names of RFC 7591 and of Attestation-Based Client Authentication draft 07 §13.4. */
export interface ClientAuthenticationMethods {
  readonly methods: readonly string[];
  /** Of attestations and their proofs; absent when wallets cannot authenticate by them. */
  readonly attestationAlgorithms?: readonly string[];
  /** Of client assertions; absent when clients cannot authenticate by them. */
  readonly assertionAlgorithms?: readonly string[];
}

/** What our authorization server can do, as far as it depends on settings and templates. */
export interface AuthorizationServer {
  readonly urls: WalletUrls;
  /** Of all credential configurations. */
  readonly scopes: readonly string[];
  readonly clients: ClientAuthenticationMethods;
}

/**
 * RFC 8414 document of our authorization server; the same JSON at the inserted and the appended URL, and as
 * `openid-configuration`, since wallets differ in where they look. The authorization endpoint is there even when every credential
 * is offered by pre-authorized code: some wallets stop without it.
 */
export function renderAuthorizationServerMetadata({
  urls,
  scopes,
  clients,
}: AuthorizationServer): Record<string, unknown> {
  return {
    issuer: urls.issuer,
    authorization_endpoint: urls.authorize,
    token_endpoint: urls.token,
    pushed_authorization_request_endpoint: urls.pushedAuthorizationRequest,
    require_pushed_authorization_requests: true,
    revocation_endpoint: urls.revocation,
    jwks_uri: urls.jwks,
    scopes_supported: [...new Set(scopes)],
    grant_types_supported: supportedGrantTypes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    // RFC 9207 §3.
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: clients.methods,
    revocation_endpoint_auth_methods_supported: clients.methods,
    ...(clients.assertionAlgorithms && {
      token_endpoint_auth_signing_alg_values_supported: clients.assertionAlgorithms,
    }),
    ...(clients.attestationAlgorithms && {
      challenge_endpoint: urls.challenge,
      client_attestation_signing_alg_values_supported: clients.attestationAlgorithms,
      client_attestation_pop_signing_alg_values_supported: clients.attestationAlgorithms,
    }),
    dpop_signing_alg_values_supported: ADVERTISED_DPOP_ALGORITHMS,
    // Token Status List §9.1; OpenID4VCI has no place for it in the metadata of the credential issuer.
    status_list_aggregation_endpoint: urls.statusLists,
    // OpenID4VCI 1.0 §12.3: the pre-authorized code may be redeemed without a client_id.
    'pre-authorized_grant_anonymous_access_supported': true,
    authorization_details_types_supported: ['openid_credential'],
  };
}
