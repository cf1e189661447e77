import { assertVisibleAscii } from '../../wire/form-parameters';
import { OAuthError } from '../../wire/oauth-error';

/** RFC 6749 §6. */
export const REFRESH_TOKEN_GRANT = 'refresh_token';

/** What a token request of this grant brings (RFC 6749 §6). */
export interface RefreshTokenRequest {
  readonly grant: 'refresh_token';
  readonly refreshToken: string;
  /** Present when the wallet wants a token for less: each value once. */
  readonly scopes?: readonly string[];
}

/** Throws `OAuthError` invalid_request. @param values the form of a token request */
export function readRefreshToken(values: ReadonlyMap<string, string>): RefreshTokenRequest {
  const refreshToken = values.get('refresh_token');
  if (refreshToken === undefined) {
    throw new OAuthError('invalid_request', 'refresh_token is missing.', { reason: 'refresh-token-missing' });
  }
  assertVisibleAscii('refresh_token', refreshToken);
  const scope = values.get('scope');
  const scopes = scope === undefined ? undefined : [...new Set(scope.split(' ').filter((value) => value !== ''))];
  return { grant: 'refresh_token', refreshToken, ...(scopes !== undefined && { scopes }) };
}
