import { parseBearerToken } from '../bearer-token';

export interface PresentedAccessToken {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
}

/**
 * The access token of an `Authorization` header, of either scheme (RFC 6750 §2.1, RFC 9449 §7.1); scheme names are
 * case-insensitive. @throws OAuthError as `parseBearerToken`
 */
export function parseAccessToken(authorization: string | undefined): PresentedAccessToken {
  // The rest of the header has one form in both.
  return isDpopScheme(authorization)
    ? { scheme: 'DPoP', token: parseBearerToken(`Bearer${authorization.slice('DPoP'.length)}`) }
    : { scheme: 'Bearer', token: parseBearerToken(authorization) };
}

export function isDpopScheme(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^dpop( |$)/iu.test(authorization);
}
