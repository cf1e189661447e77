import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { createLocalJWKSet, errors, type JWK, jwtVerify } from 'jose';

const event = 'http://schemas.openid.net/event/backchannel-logout';
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/** Seconds that a logout token is good for, whatever it says. */
export const longestLogoutToken = 15 * 60;

/** Who has signed out at a provider: a person, a session there, or a person's session. */
export interface LogoutNotice {
  readonly sub: string | undefined;
  readonly sid: string | undefined;
  /** Its single use is for the caller to check. */
  readonly jti: string;
}

/**
 * Reads a token by which a provider says that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0 §2.4).
 * @param keys a JWK Set of the provider
 * @param audience the client id
 * @returns undefined for what is no such token
 */
export async function verifyLogoutToken(
  token: string,
  keys: readonly object[],
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): Promise<LogoutNotice | undefined> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: keys as JWK[] }), {
      ...{ issuer, audience, algorithms },
      clockTolerance: CLOCK_SKEW_SECONDS,
      maxTokenAge: longestLogoutToken,
      requiredClaims: ['iat', 'jti'],
    });
    const { events, nonce, sub, sid, jti } = payload;
    const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, event);
    const isAbout = sub !== undefined || typeof sid === 'string';
    // An ID token has a nonce.
    if (!isLogout || nonce !== undefined || !isAbout || typeof jti !== 'string') return undefined;
    return { sub, sid: typeof sid === 'string' ? sid : undefined, jti };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}
