import { LINK_VARIANTS, type LinkVariant, OAuthError } from '@app/openid4vc';

/** The variant that an address names. Throws `OAuthError` with status 404. */
export function variantOf(name: string): LinkVariant {
  const variant = LINK_VARIANTS.find((known) => known === name);
  if (!variant) throw noOpenRequest();
  return variant;
}

export function noOpenRequest(): OAuthError {
  return new OAuthError('invalid_request', 'There is no open authorization request at this address.', {
    status: 404,
    reason: 'not-open',
  });
}
