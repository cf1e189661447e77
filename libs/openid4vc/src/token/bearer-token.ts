import { OAuthError } from '../wire/oauth-error';

const LONGEST_TOKEN = 8_192;

// RFC 6750 §2.1: b64token after the scheme, whose name is case-insensitive; RFC 9110 §11.4 allows several spaces between them.
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/iu;

/**
 * The access token of an `Authorization` header. The header is the only place a token is ever taken from.
 * @throws OAuthError 401: the bare challenge when no bearer token was presented, invalid_token when it is malformed.
 */
export function parseBearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^bearer( |$)/iu.test(authorization)) throw OAuthError.missingToken();
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined || token.length > LONGEST_TOKEN) {
    throw new OAuthError('invalid_token', 'The Authorization header holds no well-formed bearer token.', {
      reason: 'token-malformed',
    });
  }
  return token;
}
