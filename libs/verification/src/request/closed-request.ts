import { OAuthError, type RequestVariant } from '@app/openid4vc';

/**
 * What a wallet hears when there is nothing to answer at an address, for whatever reason. Over the Digital Credentials API it
 * is a page that hears it, which knows of the request: 409.
 */
export function closedRequest(variant?: RequestVariant): OAuthError {
  return new OAuthError(
    'invalid_request',
    'There is no open authorization request at this address; it may have expired or been answered.',
    { reason: 'not-open', ...(variant === 'dc-api' && { status: 409 }) },
  );
}
