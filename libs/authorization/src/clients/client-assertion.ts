import { decodeJws, type DecodedJws, JWS_ALGORITHMS, JwsError, type PublicJwk, verifyJws } from '@app/primitives/jose';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { invalidClient } from './client-faults';
import { hasCome, isAhead, isTokenId } from './jwt-claims';

/** A key of a client. */
export interface ClientKey {
  readonly jwk: PublicJwk;
  readonly keyId?: string;
}

export interface ExpectedAssertion {
  readonly clientId: string;
  /** Identifier of the authorization server. */
  readonly audience: string;
  readonly keys: readonly ClientKey[];
  readonly now: Date;
}

export interface ClientAssertion {
  /** Single use. */
  readonly tokenId: string;
  /** Until then the assertion would be accepted again if its use were not remembered. */
  readonly acceptedUntil: Date;
}

/** Seconds (FAPI 2.0 Security Profile §5.3.2.1 wants short ones). */
const longestLifetime = 300;
const types: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'jwt', 'client-authentication+jwt']);

/** Reads an assertion without verifying it. Throws `OAuthError`. */
export function readClientAssertion(jwt: string): DecodedJws {
  try {
    return decodeJws(jwt);
  } catch (cause) {
    if (!(cause instanceof JwsError)) throw cause;
    throw fault(cause.message, cause);
  }
}

/**
 * Verifies the assertion of a client (RFC 7523 §3, FAPI 2.0 Security Profile §5.3.2.1) but for its single use. Throws
 * `OAuthError`.
 */
export function verifyClientAssertion(
  jws: DecodedJws,
  { clientId, audience, keys, now }: ExpectedAssertion,
): ClientAssertion {
  if (!types.has(jws.header['typ'])) throw fault('its typ must be JWT or client-authentication+jwt');
  const { iss, sub, aud, jti, exp, nbf, iat } = jws.payload;
  if (iss !== clientId || sub !== clientId) throw fault('its iss and sub must be the client_id');
  // FAPI 2.0 §5.3.2.1: the identifier as a string, neither an array nor the URL of an endpoint.
  if (aud !== audience) throw fault(`its aud must be the text ${audience}`);
  if (!isTokenId(jti)) throw fault('it has no jti');
  if (typeof exp !== 'number' || !isAhead(exp, now)) throw fault('it has expired, or has no exp');
  if (exp > now.getTime() / 1000 + longestLifetime + CLOCK_SKEW_SECONDS)
    throw fault('it must expire within five minutes');
  if ((nbf !== undefined && !hasCome(nbf, now)) || (iat !== undefined && !hasCome(iat, now))) {
    throw fault('it is not valid yet');
  }
  verifySignature(jws, keys);
  return { tokenId: jti, acceptedUntil: new Date((exp + CLOCK_SKEW_SECONDS) * 1000) };
}

function verifySignature(jws: DecodedJws, keys: readonly ClientKey[]): void {
  const { kid } = jws.header;
  const named = keys.filter(({ keyId }) => kid !== undefined && keyId === kid);
  const isSignedWith = ({ jwk }: ClientKey): boolean => {
    try {
      verifyJws(jws, jwk, JWS_ALGORITHMS);
      return true;
    } catch (error) {
      if (error instanceof JwsError) return false;
      throw error;
    }
  };
  if (!(named.length > 0 ? named : keys).some(isSignedWith)) {
    throw fault('it is not signed with a key of the client by one of the algorithms of the metadata');
  }
}

function fault(found: string, cause?: unknown): Error {
  return invalidClient('client-assertion', `client_assertion is not accepted: ${found}.`, cause);
}
