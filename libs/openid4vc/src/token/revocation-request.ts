import { assertVisibleAscii, readParameters } from '../wire/form-parameters';
import { OAuthError } from '../wire/oauth-error';

/**
 * The token that a revocation request names (RFC 7009 §2.1). Its `token_type_hint` is not needed: each token shows what it is.
 * Throws `OAuthError` invalid_request.
 */
export function parseRevocationRequest(parameters: Iterable<readonly [string, string]>): string {
  const token = readParameters(parameters, {}).get('token');
  if (token === undefined) {
    throw new OAuthError('invalid_request', 'token is missing: send the access or refresh token to revoke.', {
      reason: 'token-missing',
    });
  }
  assertVisibleAscii('token', token);
  return token;
}
