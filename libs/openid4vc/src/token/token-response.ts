import { renderAuthorizationDetails } from './authorization-details';

export interface TokenGranted {
  readonly accessToken: string;
  /** `DPoP` when the token is bound to a key (RFC 9449 §5). */
  readonly tokenType: 'Bearer' | 'DPoP';
  /** Seconds. OpenID4VCI 1.0 §13: a bearer token that lives longer than five minutes must be sender-constrained. */
  readonly expiresIn: number;
  /** From the same store as the nonce endpoint; drafts 11 and 13 know no other source. Absent for wallets that must be of a later one. */
  readonly nonce?: string;
  /** Seconds. */
  readonly nonceExpiresIn: number;
  /** Of a grant that was asked for by scope or can be narrowed to it. */
  readonly scope?: string;
  readonly refreshToken?: string;
  /** Give these exactly when the wallet sent `authorization_details`: the answer then must name identifiers. */
  readonly authorizedConfigurationIds?: readonly string[];
}

/** Body of a successful token response; send it with `Cache-Control: no-store`. */
export function renderTokenResponse(granted: TokenGranted): Record<string, unknown> {
  return {
    access_token: granted.accessToken,
    token_type: granted.tokenType,
    expires_in: granted.expiresIn,
    ...(granted.nonce === undefined ? {} : { c_nonce: granted.nonce, c_nonce_expires_in: granted.nonceExpiresIn }),
    ...(granted.scope === undefined ? {} : { scope: granted.scope }),
    ...(granted.refreshToken === undefined ? {} : { refresh_token: granted.refreshToken }),
    // A 1.0 wallet that gets identifiers must use them, and a draft-13 one may then no longer name a format.
    ...(granted.authorizedConfigurationIds === undefined
      ? {}
      : { authorization_details: renderAuthorizationDetails(granted.authorizedConfigurationIds) }),
  };
}

/** Body of the nonce endpoint (OpenID4VCI 1.0 §7.2); send it with `Cache-Control: no-store`. */
export function renderNonceResponse(nonce: string): { c_nonce: string } {
  return { c_nonce: nonce };
}
