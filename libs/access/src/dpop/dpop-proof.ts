import { urlOf } from '@app/primitives/url';
import {
  decodeJws,
  type DecodedJws,
  JwsError,
  parsePublicJwk,
  PublicJwkError,
  thumbprint,
  verifyJws,
} from '@app/primitives/jose';
import { hashOfSecret } from '@app/keys';
import { DPOP_ALGORITHMS, DpopFault } from '@app/openid4vc';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';

/** Seconds. */
const longestAge = 60;
/** Seconds that nonces live at most; without one a proof is good for less. */
const longestUse = 300;
const longestJti = 128;
const longestProof = 8_192;

/** What a proof has to be about. */
export interface DpopRequest {
  readonly method: string;
  /** Our configured address of the endpoint, never that of a Host header. */
  readonly url: string;
  /** The access token that comes with it. */
  readonly accessToken?: string | undefined;
  readonly now: Date;
  /** Absent where none are handed out: a nonce in the proof is then that of another server. */
  readonly nonces?: {
    readonly areRequired: boolean;
    /** Whether a nonce is one of ours that is still good. */
    readonly isLive: (nonce: string) => boolean;
  };
}

export interface DpopProof {
  /** RFC 7638, base64url, of the key that signed it. */
  readonly thumbprint: string;
  /** To be used up under a kind of its place: the same `jti` of the same key must not come again while it would be accepted. */
  readonly use: { readonly hash: Buffer; readonly expiresAt: Date };
}

/**
 * Checks a DPoP proof (RFC 9449 §4.3) but for whether it was used before. Claims that are not named there are ignored.
 * @param header the value of the `DPoP` header; two headers come joined by a comma
 * @throws DpopFault
 */
export function verifyDpopProof(header: string, request: DpopRequest): DpopProof {
  if (header.includes(',')) throw invalid('send exactly one DPoP header with one proof');
  const jws = decoded(header);
  if (jws.header['typ'] !== 'dpop+jwt') throw invalid("its typ must be 'dpop+jwt'");
  const key = keyOf(jws);
  try {
    verifyJws(jws, key, DPOP_ALGORITHMS);
  } catch (error) {
    if (error instanceof JwsError) throw invalid(faultOf(error));
    throw error;
  }
  const jti = assertClaims(jws, request);
  const by = thumbprint(key);
  const expiresAt = new Date(request.now.getTime() + longestUse * 1000);
  return { thumbprint: by, use: { hash: hashOfSecret(JSON.stringify([by, jti])), expiresAt } };
}

/** Returns the `jti`. */
function assertClaims(jws: DecodedJws, request: DpopRequest): string {
  const { jti, htm, htu, iat, nonce, ath } = jws.payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) {
    throw invalid(`its jti must be a string of 1 to ${longestJti} characters`);
  }
  if (htm !== request.method) throw invalid(`its htm must be '${request.method}'`);
  if (typeof htu !== 'string' || addressOf(htu) !== addressOf(request.url))
    throw invalid(`its htu must be ${request.url}`);
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw invalid('its iat must be a number of seconds');
  assertFresh(iat, nonce, request);
  if (request.accessToken !== undefined) {
    const wanted = hashOfSecret(request.accessToken).toString('base64url');
    if (ath !== wanted) throw invalid('its ath must be the base64url SHA-256 of the access token');
  }
  return jti;
}

/** RFC 9449 §11.1: a nonce of ours says more about when a proof was made than a wallet's clock. */
function assertFresh(iat: number, nonce: unknown, { now, nonces }: DpopRequest): void {
  if (nonces && nonce !== undefined) {
    if (typeof nonce === 'string' && nonces.isLive(nonce)) return;
    throw new DpopFault('use_dpop_nonce', 'Use the nonce of the DPoP-Nonce header in the DPoP proof.');
  }
  if (nonces?.areRequired === true) {
    throw new DpopFault('use_dpop_nonce', 'The DPoP proof needs the nonce of the DPoP-Nonce header.');
  }
  const age = now.getTime() / 1000 - iat;
  if (age > longestAge) throw invalid(`its iat is more than ${longestAge} s ago: make a new proof for each request`);
  if (age < -CLOCK_SKEW_SECONDS) throw invalid('its iat is in the future');
}

/** RFC 9449 §4.3: compared after normalisation, without query and fragment. */
function addressOf(text: string): string | undefined {
  const url = urlOf(text);
  if (url === undefined) return undefined;
  const { protocol, username, password, host, pathname } = url;
  return username + password === '' ? `${protocol}//${host}${pathname}` : undefined;
}

function decoded(proof: string): DecodedJws {
  try {
    return decodeJws(proof, { maxLength: longestProof });
  } catch (error) {
    if (error instanceof JwsError) throw invalid(faultOf(error));
    throw error;
  }
}

function keyOf({ header }: DecodedJws): ReturnType<typeof parsePublicJwk> {
  try {
    return parsePublicJwk(header['jwk']);
  } catch (error) {
    if (error instanceof PublicJwkError) throw invalid(`in its jwk ${error.message}`);
    throw error;
  }
}

function faultOf({ reason, message }: JwsError): string {
  return reason === 'unsupported-algorithm' ? `its alg must be one of ${DPOP_ALGORITHMS.join(', ')}` : message;
}

function invalid(fault: string): DpopFault {
  return new DpopFault('invalid_dpop_proof', `The DPoP proof is not valid: ${fault}.`);
}
