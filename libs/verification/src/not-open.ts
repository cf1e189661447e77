import { OAuthError } from '@app/openid4vc';

/** What a wallet hears when there is nothing to answer at an address, for whatever reason. */
export function notOpen(): OAuthError {
  return new OAuthError(
    'invalid_request',
    'There is no open authorization request at this address; it may have expired or been answered.',
    { reason: 'not-open' },
  );
}
