import { renderParameters } from './authorization-request';
import { clientIdOf, isFinal, isSignedRequest } from './client-id';
import { type LinkVariant } from '../wire/request-variant';
import { type WireRequest } from './wire-request';

// SIOPv2 draft 13 §15.1: the two static sets; `openid:` is also what the redirect wallets listen to.
const SCHEMES: Readonly<Record<LinkVariant, string>> = {
  final: 'openid4vp://',
  // HAIP 1.0 §5.1.
  haip: 'haip-vp://',
  'draft-20': 'openid4vp://',
  'draft-20-redirect': 'openid://',
  siopv2: 'siopv2://',
};

export interface RequestLinkOptions {
  /** Where the signed request object is fetched. */
  readonly requestUri: string;
  /** Invites wallets to POST their nonce there; 1.0 only, since older wallets may stumble over it. */
  readonly post?: boolean;
}

/**
 * What a QR code or button holds: client id and request URI, or the whole request when it is one that is not signed.
 * Nothing else belongs into the link of a 1.0 request.
 */
export function renderRequestLink(request: WireRequest, { requestUri, post }: RequestLinkOptions): string {
  const parameters = new URLSearchParams(
    isSignedRequest(request) ? reference(request, requestUri, post ?? false) : byValue(request),
  );
  // A space must not become a plus: not every wallet reads the query as a form.
  return `${SCHEMES[request.variant]}?${parameters.toString().replaceAll('+', '%20')}`;
}

function reference(request: WireRequest, requestUri: string, post: boolean): Record<string, string> {
  const old = request.variant === 'draft-20' || request.variant === 'draft-20-redirect';
  return {
    client_id: clientIdOf(request),
    ...(old ? { client_id_scheme: 'did' } : {}),
    request_uri: requestUri,
    // OpenID4VP 1.0 §5.10: lower case, and never inside the request object.
    ...(post && isFinal(request.variant) ? { request_uri_method: 'post' } : {}),
  };
}

function byValue(request: WireRequest): [string, string][] {
  return Object.entries(renderParameters(request)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}
