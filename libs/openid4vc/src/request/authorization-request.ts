import { clientIdOf, isFinal, isSignedRequest } from './client-id';
import { renderClientMetadata } from './client-metadata';
import { type WireRequest } from './wire-request';

/** The signer adds `alg` and the name of its key, `kid` or `x5c`, to the header. */
export interface RequestObject {
  readonly header: { readonly typ: 'oauth-authz-req+jwt' };
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * The request as a JWT to be signed, served at the request URI as often as the wallet fetches it.
 * @throws TypeError for a request that must not be signed; its link holds all of it.
 */
export function renderRequestObject(request: WireRequest): RequestObject {
  if (!isSignedRequest(request)) throw new TypeError('A request with the redirect_uri prefix must not be signed');
  return {
    // Drafts before 24 do not ask for the type, and none refuses it.
    header: { typ: 'oauth-authz-req+jwt' },
    payload: {
      // For older JAR stacks that insist on it. OpenID4VP 1.0 §5.8 has wallets ignore it, and some compare it with the
      // DID of the key all the same, which a prefixed client id is not.
      ...(isFinal(request.variant) ? {} : { iss: clientIdOf(request) }),
      aud: 'https://self-issued.me/v2',
      iat: request.issuedAt,
      exp: request.expiresAt,
      ...renderParameters(request),
      ...(request.walletNonce === undefined ? {} : { wallet_nonce: request.walletNonce }),
    },
  };
}

/** The authorization request parameters of the variant; the values of an unsigned request go into the link. */
export function renderParameters(request: WireRequest): Record<string, unknown> {
  const client = { client_id: clientIdOf(request) };
  const answer = { nonce: request.nonce, state: request.state };
  const client_metadata = renderClientMetadata(request);
  switch (request.variant) {
    case 'final':
    case 'haip':
      return {
        ...client,
        ...renderResponseType(request.responseType),
        response_mode: request.encryption ? 'direct_post.jwt' : 'direct_post',
        response_uri: request.responseUri,
        ...answer,
        dcql_query: request.query,
        ...(request.transactionData && { transaction_data: request.transactionData }),
        client_metadata,
        ...(request.verifierInfo && { verifier_info: request.verifierInfo }),
      };
    case 'draft-20':
      return {
        ...client,
        client_id_scheme: 'did',
        ...renderResponseType(request.responseType),
        response_mode: request.encryption ? 'direct_post.jwt' : 'direct_post',
        response_uri: request.responseUri,
        ...answer,
        presentation_definition: request.definition,
        client_metadata,
      };
    case 'draft-20-redirect':
      return {
        ...client,
        client_id_scheme: 'did',
        scope: 'openid',
        response_type: 'vp_token',
        response_mode: 'direct_post',
        redirect_uri: request.responseUri,
        ...answer,
        presentation_definition: request.definition,
        client_metadata,
      };
    case 'siopv2':
      return {
        ...client,
        ...renderResponseType('id_token'),
        response_mode: 'direct_post',
        // SIOPv2 draft 13 §9.2: across devices the answer goes to this parameter.
        redirect_uri: request.responseUri,
        ...answer,
        client_metadata,
      };
  }
}

function renderResponseType(type: 'vp_token' | 'vp_token id_token' | 'id_token'): Record<string, string> {
  if (type === 'vp_token') return { response_type: type };
  // SIOPv2 draft 13 §9: without id_token_type an ID Token attested by another party is meant.
  return { response_type: type, scope: 'openid', id_token_type: 'subject_signed_id_token' };
}
