import { decodeJws, JWS_ALGORITHMS, JwsError, type PublicJwk, verifyJws } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { invalidAttestation } from './client-faults';
import { hasCome, isAhead, isTokenId } from './jwt-claims';

/** Whose proof of possession is looked for. */
export interface ExpectedProof {
  readonly instanceKey: PublicJwk;
  readonly clientId: string;
  /** Identifier of the authorization server. */
  readonly audience: string;
  readonly now: Date;
}

export interface AttestationProof {
  /** Single use. */
  readonly tokenId: string;
  /** Until then the proof would be accepted again if its use were not remembered. */
  readonly acceptedUntil: Date;
  /** Left to the caller. */
  readonly challenge?: JsonValue;
}

const proofType = 'oauth-client-attestation-pop+jwt';
/** Seconds. */
const oldest = 300;

/**
 * Verifies the proof that a wallet has the key of its attestation (Attestation-Based Client Authentication draft 07 §5.2) but
 * for its challenge and its single use. Later drafts have no `iss`: it may be missing. Throws `OAuthError`.
 */
export function verifyAttestationProof(
  jwt: string,
  { instanceKey, clientId, audience, now }: ExpectedProof,
): AttestationProof {
  const payload = signedWith(instanceKey, jwt);
  const { iss, aud, jti, iat, nbf, exp, challenge } = payload;
  if (iss !== undefined && iss !== clientId) throw fault('its iss must be the sub of the attestation');
  // The draft wants a string; some JWT libraries always write an array.
  if ((Array.isArray(aud) && aud.length === 1 ? aud[0] : aud) !== audience) throw fault(`its aud must be ${audience}`);
  if (!isTokenId(jti)) throw fault('it has no jti');
  if (typeof iat !== 'number' || !hasCome(iat, now)) throw fault('its iat is missing or lies ahead');
  if (iat < now.getTime() / 1000 - oldest - CLOCK_SKEW_SECONDS) throw fault('it is older than five minutes');
  if (nbf !== undefined && !hasCome(nbf, now)) throw fault('it is not valid yet');
  if (exp !== undefined && !isAhead(exp, now)) throw fault('it has expired');
  return {
    tokenId: jti,
    acceptedUntil: new Date((iat + oldest + CLOCK_SKEW_SECONDS) * 1000),
    ...(challenge !== undefined && { challenge }),
  };
}

function signedWith(key: PublicJwk, jwt: string): JsonObject {
  try {
    const jws = decodeJws(jwt);
    if (jws.header['typ'] !== proofType) throw fault(`its typ must be ${proofType}`);
    verifyJws(jws, key, JWS_ALGORITHMS);
    return jws.payload;
  } catch (cause) {
    if (!(cause instanceof JwsError)) throw cause;
    throw fault(`${cause.message} (cnf.jwk of the attestation)`, cause);
  }
}

function fault(found: string, cause?: unknown): Error {
  return invalidAttestation(
    'attestation-proof',
    `The proof of possession of the attestation is not accepted: ${found}.`,
    cause,
  );
}
