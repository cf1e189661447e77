import {
  type DecodedJws,
  decodeJws,
  isOnCurve,
  type JwsAlgorithm,
  JwsError,
  parsePublicJwk,
  type PublicJwk,
  PublicJwkError,
  thumbprint,
  verifyJws,
} from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { hash } from 'node:crypto';
import { KeyProofError, type KeyProofErrorReason } from './key-proof-error';
import { Refusal } from '../presentation-check';
import { type ChainAnchor, verifyCertificateChain } from '../x509/x509-chain';

/** A certificate authority that vouches for attesters of keys. */
export type AttesterAnchor = ChainAnchor & { readonly name: string };

/** What a key attestation says of where keys are and who can use them; values of OpenID4VCI 1.0 appendix D.2, or an ecosystem's. */
export interface AttestationLevels {
  readonly keyStorage?: readonly string[];
  readonly userAuthentication?: readonly string[];
}

export interface KeyAttestationPolicy<Anchor extends AttesterAnchor = AttesterAnchor> {
  readonly anchors: readonly Anchor[];
  readonly algorithms: readonly JwsAlgorithm[];
  /** For each member one of the values has to be attested; an absent one demands nothing. */
  readonly required: AttestationLevels;
  /** `batch_size`. */
  readonly maxKeys: number;
  /** Whether it is the proof, and not a header of one: then it has the nonce itself, and may go without an end. */
  readonly isProof: boolean;
  readonly now: Date;
}

/** What is kept of an attestation for reports. */
export interface AttestedBy extends AttestationLevels {
  /** Name of the anchor that vouches for the attester. */
  readonly attester: string;
  /** SHA-256 of the attester's certificate, base64url (RFC 7515 §4.1.8). */
  readonly certificateThumbprint: string;
}

export interface VerifiedKeyAttestation {
  readonly keys: readonly { readonly jwk: PublicJwk; readonly thumbprint: string }[];
  readonly nonce?: string;
  readonly attestedBy: AttestedBy;
  /** Not checked here: whose it is, and where its status is found. */
  readonly issuer?: string;
  readonly status?: JsonValue;
  /** `key_storage_status`. */
  readonly keptStatus?: JsonValue;
}

const ATTESTATION_TYPE = 'key-attestation+jwt';
const MAX_LENGTH = 16_384;

/**
 * Verifies a key attestation (OpenID4VCI 1.0 appendix D.1 and F.3), everything but the freshness of its nonce and its status.
 * Throws `KeyProofError`.
 */
export function verifyKeyAttestation<Anchor extends AttesterAnchor>(
  jwt: string,
  policy: KeyAttestationPolicy<Anchor>,
): VerifiedKeyAttestation & { readonly anchor: Anchor } {
  const jws = decode(jwt);
  if (jws.header['typ'] !== ATTESTATION_TYPE) throw new KeyProofError('attestation-malformed');
  if (!policy.algorithms.some((allowed) => allowed === jws.header['alg'])) {
    throw new KeyProofError('unsupported-algorithm');
  }
  const { anchor, certificateThumbprint } = verifySignature(jws, policy);
  const { payload } = jws;
  checkTimes(payload, policy);
  const keys = readKeys(payload['attested_keys'], policy.maxKeys);
  const levels = checkLevels(payload, policy.required);
  const { nonce, iss, status, key_storage_status: keptStatus } = payload;
  if (policy.isProof && (typeof nonce !== 'string' || nonce === '')) throw new KeyProofError('missing-nonce');
  return {
    keys: keys.map(({ kid: _kid, ...key }) => key),
    ...(typeof nonce === 'string' && { nonce }),
    attestedBy: { attester: anchor.name, certificateThumbprint, ...levels },
    anchor,
    ...(typeof iss === 'string' && { issuer: iss }),
    ...(status !== undefined && { status }),
    ...(keptStatus !== undefined && { keptStatus }),
  };
}

/**
 * The `attested_keys` that `kid` names: an index into them, as in the example of OpenID4VCI 1.0 appendix F.1, or the `kid` or the RFC 7638
 * thumbprint of one. The attestation is not verified here. Throws `KeyProofError`.
 */
export function attestedKeysNamed(kid: string, attestation: JsonValue, maxKeys: number): readonly PublicJwk[] {
  if (typeof attestation !== 'string') throw new KeyProofError('attestation-malformed');
  const { attested_keys: sent } = decode(attestation).payload;
  const named = readKeys(sent, maxKeys).filter(
    (key, index) => kid === String(index) || kid === key.kid || kid === key.thumbprint,
  );
  return named.map(({ jwk }) => jwk);
}

function decode(jwt: string): DecodedJws {
  try {
    return decodeJws(jwt, { maxLength: MAX_LENGTH });
  } catch (cause) {
    if (cause instanceof JwsError) throw new KeyProofError('attestation-malformed', { cause });
    throw cause;
  }
}

function verifySignature<Anchor extends AttesterAnchor>(
  jws: DecodedJws,
  { anchors, algorithms, now }: KeyAttestationPolicy<Anchor>,
): Pick<AttestedBy, 'certificateThumbprint'> & { readonly anchor: Anchor } {
  const x5c = jws.header['x5c'] ?? null;
  const chain = asReason('attestation-untrusted', () => verifyCertificateChain(x5c, anchors, now));
  asReason('attestation-signature', () => {
    verifyJws(jws, chain.key, algorithms);
  });
  const [leaf] = x5c as string[]; // the chain was read from it
  const certificateThumbprint = hash('sha256', Buffer.from(leaf ?? '', 'base64'), 'base64url');
  return { anchor: chain.anchor, certificateThumbprint };
}

function asReason<T>(reason: KeyProofErrorReason, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof Refusal || cause instanceof JwsError) throw new KeyProofError(reason, { cause });
    throw cause;
  }
}

function checkTimes({ iat, exp, nbf }: JsonObject, { isProof, now }: KeyAttestationPolicy): void {
  const seconds = now.getTime() / 1000;
  const isOver = (time: JsonValue): boolean => !(typeof time === 'number' && time > seconds - CLOCK_SKEW_SECONDS);
  const isAhead = (time: JsonValue | undefined): boolean =>
    !(typeof time === 'number' && time <= seconds + CLOCK_SKEW_SECONDS);
  if (isAhead(iat) || (nbf !== undefined && isAhead(nbf))) throw new KeyProofError('attestation-expired');
  // OpenID4VCI 1.0 appendix D.1: it must have an end where it is a header of a proof.
  if (exp === undefined ? !isProof : isOver(exp)) throw new KeyProofError('attestation-expired');
}

interface AttestedKey {
  readonly jwk: PublicJwk;
  readonly thumbprint: string;
  readonly kid: JsonValue | undefined;
}

function readKeys(value: JsonValue | undefined, maxKeys: number): readonly AttestedKey[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxKeys) {
    throw new KeyProofError('attestation-keys');
  }
  const keys = value.map((key) => {
    const jwk = readKey(key);
    return { jwk, thumbprint: thumbprint(jwk), kid: (key as JsonObject)['kid'] };
  });
  if (new Set(keys.map((key) => key.thumbprint)).size < keys.length) throw new KeyProofError('repeated-key');
  return keys;
}

/** An attested key may prove nothing itself, so that nothing else finds out whether it is one. */
function readKey(value: JsonValue): PublicJwk {
  const jwk = parsedKey(value);
  if (!isOnCurve(jwk)) throw new KeyProofError('attestation-keys');
  return jwk;
}

function parsedKey(value: JsonValue): PublicJwk {
  try {
    return parsePublicJwk(value);
  } catch (cause) {
    if (!(cause instanceof PublicJwkError)) throw cause;
    throw new KeyProofError(cause.reason === 'private-key' ? 'private-key' : 'attestation-keys', { cause });
  }
}

/** The levels that the attestation has. */
function checkLevels(payload: JsonObject, required: AttestationLevels): AttestationLevels {
  const keyStorage = textsIn(payload['key_storage']);
  const userAuthentication = textsIn(payload['user_authentication']);
  const suffices = (demanded: readonly string[] | undefined, attested: readonly string[] | undefined): boolean =>
    demanded === undefined || demanded.some((level) => attested?.includes(level));
  if (!suffices(required.keyStorage, keyStorage) || !suffices(required.userAuthentication, userAuthentication)) {
    throw new KeyProofError('attestation-level');
  }
  return { ...(keyStorage && { keyStorage }), ...(userAuthentication && { userAuthentication }) };
}

/** Absent, or a few short texts: they are kept. */
function textsIn(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isShort = (one: JsonValue): one is string => typeof one === 'string' && one.length <= 256;
  if (Array.isArray(value) && value.length <= 20 && value.every(isShort)) return value;
  throw new KeyProofError('attestation-malformed');
}
