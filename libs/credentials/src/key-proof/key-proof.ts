import { types } from 'node:util';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import {
  type DecodedJws,
  decodeJws,
  type JwsAlgorithm,
  JwsError,
  parsePublicJwk,
  type PublicJwk,
  PublicJwkError,
  thumbprint,
  verifyJws,
} from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import type { BindingMethod } from '@app/openid4vc';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { DidError } from '../issuers/did';
import type { VerificationRelationship } from '../issuers/did-document';
import { attestedKeysNamed } from './key-attestation';
import { KeyProofError } from './key-proof-error';

/** The key a credential is bound to; `did` and `keyId` (absolute DID URL) when the wallet named it by DID. */
export type Holder = { readonly jwk: PublicJwk; readonly did?: string; readonly keyId?: string };

export type KeyProofPolicy = {
  /** The Credential Issuer Identifier, exactly as published. */
  readonly credentialIssuer: string;
  /** `proof_signing_alg_values_supported` of the configuration. */
  readonly algorithms: readonly JwsAlgorithm[];
  readonly bindingMethods: readonly BindingMethod[];
  /** Whether the access token was given to the client of this id; absent when the token is anonymous. */
  readonly isClient?: (id: string) => boolean;
  /** Tolerates two deviations of older wallets: `aud` with one trailing slash, the DID of the holder as `iss`. */
  readonly legacy: boolean;
  /** How old a proof may be, by its `iat`, and 60 s of clock skew; absent: its nonce alone says that. Never may `iat` be further ahead than the skew. */
  readonly maxAgeSeconds?: number;
  /** The largest number of proofs in one request (`batch_size`; 1 where batches are not advertised). */
  readonly maxProofs: number;
  readonly now: Date;
  readonly dids: { resolveKey(didUrl: string, relationship: VerificationRelationship): Promise<PublicJwk> };
};

/** `thumbprint` is the RFC 7638 thumbprint of the holder's key. */
export type VerifiedKeyProof = {
  readonly nonce: string;
  readonly holder: Holder;
  readonly thumbprint: string;
  /** The header `key_attestation` as sent. */
  readonly attestation?: JsonValue;
};

/** `proofs` in the order of the request. */
export type VerifiedKeyProofs = { readonly nonce: string; readonly proofs: readonly VerifiedKeyProof[] };

const PROOF_TYPE = 'openid4vci-proof+jwt';
const MAX_LENGTH = 16_384;

/**
 * Verifies one `jwt` key proof (OpenID4VCI 1.0 appendix F.1 and F.4; drafts 13 to 16 alike), everything but the
 * freshness of its nonce, which is returned for the caller to judge. Throws `KeyProofError`.
 */
export async function verifyKeyProof(jwt: string, policy: KeyProofPolicy): Promise<VerifiedKeyProof> {
  return verifyOne(jwt, policy);
}

/** At once, unless a DID has to be resolved. */
function verifyOne(jwt: string, policy: KeyProofPolicy): Awaitable<VerifiedKeyProof> {
  const jws = decode(jwt);
  if (jws.header['typ'] !== PROOF_TYPE) throw new KeyProofError('wrong-type');
  if (!policy.algorithms.some((allowed) => allowed === jws.header['alg'])) {
    throw new KeyProofError('unsupported-algorithm');
  }
  // The claims come before the key: a proof for another audience must not make the service fetch a DID document.
  const nonce = checkClaims(jws.payload, policy);
  return whenThere(readHolder(jws, policy), (holder) => {
    checkDidIssuer(jws.payload['iss'], holder, policy);
    verifySignature(jws, holder.jwk, policy.algorithms);
    const attestation = jws.header['key_attestation'];
    return { nonce, holder, thumbprint: thumbprint(holder.jwk), ...(attestation !== undefined && { attestation }) };
  });
}

/**
 * Verifies all proofs of one request: at least one, at most `maxProofs`, distinct keys, one shared nonce. One bad
 * proof refuses them all. Throws `KeyProofError`.
 */
export async function verifyKeyProofs(jwts: readonly string[], policy: KeyProofPolicy): Promise<VerifiedKeyProofs> {
  if (jwts.length > policy.maxProofs) throw new KeyProofError('too-many-proofs');
  const proofs: VerifiedKeyProof[] = [];
  for (const jwt of jwts) {
    const verified = verifyOne(jwt, policy);
    proofs.push(types.isPromise(verified) ? await verified : verified);
  }
  const [first] = proofs;
  if (first === undefined) throw new KeyProofError('no-proofs');
  if (proofs.some(({ nonce }) => nonce !== first.nonce)) throw new KeyProofError('different-nonces');
  if (new Set(proofs.map((proof) => proof.thumbprint)).size < proofs.length) throw new KeyProofError('repeated-key');
  return { nonce: first.nonce, proofs };
}

function decode(jwt: string): DecodedJws {
  try {
    return decodeJws(jwt, { maxLength: MAX_LENGTH });
  } catch (cause) {
    if (cause instanceof JwsError) throw new KeyProofError('malformed', { cause });
    throw cause;
  }
}

/** Checks aud, iss and the times; answers the nonce. */
function checkClaims(claims: JsonObject, policy: KeyProofPolicy): string {
  if (!isAudience(claims['aud'], policy)) throw new KeyProofError('wrong-audience');
  if (!isIssuerAllowed(claims['iss'], policy)) throw new KeyProofError('wrong-client');
  checkTimes(claims, policy);
  const nonce = claims['nonce'];
  if (typeof nonce !== 'string' || nonce === '') throw new KeyProofError('missing-nonce');
  return nonce;
}

function isAudience(aud: JsonValue | undefined, { credentialIssuer, legacy }: KeyProofPolicy): boolean {
  // The specification wants a string; some JWT libraries always write an array, which is harmless with one element.
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  return audience === credentialIssuer || (legacy && audience === `${credentialIssuer}/`);
}

function isIssuerAllowed(issuer: JsonValue | undefined, policy: KeyProofPolicy): boolean {
  if (issuer === undefined || isClient(issuer, policy)) return true;
  return policy.legacy && typeof issuer === 'string' && issuer.startsWith('did:');
}

/** Older wallets repeat their DID as iss, whoever the client is. When the key is named by DID it must be that DID. */
function checkDidIssuer(issuer: JsonValue | undefined, { did }: Holder, policy: KeyProofPolicy): void {
  const isTolerated = issuer !== undefined && !isClient(issuer, policy);
  if (isTolerated && did !== undefined && issuer !== did) throw new KeyProofError('wrong-client');
}

function isClient(issuer: JsonValue, policy: KeyProofPolicy): boolean {
  return typeof issuer === 'string' && (policy.isClient?.(issuer) ?? false);
}

function checkTimes(claims: JsonObject, policy: KeyProofPolicy): void {
  const now = policy.now.getTime() / 1000;
  const { maxAgeSeconds = Infinity } = policy;
  const { iat, exp, nbf } = claims;
  if (typeof iat !== 'number') throw new KeyProofError('missing-issued-at');
  if (iat < now - maxAgeSeconds - CLOCK_SKEW_SECONDS) throw new KeyProofError('too-old');
  if (iat > now + CLOCK_SKEW_SECONDS) throw new KeyProofError('in-the-future');
  // RFC 7519 §4.1.4 and §4.1.5 hold for every JWT, although a proof needs neither claim.
  if (exp !== undefined && !(typeof exp === 'number' && exp > now - CLOCK_SKEW_SECONDS)) {
    throw new KeyProofError('expired');
  }
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + CLOCK_SKEW_SECONDS)) {
    throw new KeyProofError('in-the-future');
  }
}

/** OpenID4VCI 1.0 appendix F.1: exactly one of kid, jwk and x5c names the key. */
function readHolder(jws: DecodedJws, policy: KeyProofPolicy): Awaitable<Holder> {
  const { header } = jws;
  const named = ['kid', 'jwk', 'x5c'].filter((member) => Object.hasOwn(header, member));
  if (named.length === 0) throw new KeyProofError('no-key');
  if (named.length > 1) throw new KeyProofError('several-keys');
  if (Object.hasOwn(header, 'jwk')) {
    requireBindingMethod('jwk', policy);
    return { jwk: readJwk(header['jwk']) };
  }
  const kid = header['kid'];
  // A certificate chain needs a chain policy, which no configuration has: x5c is never an accepted binding method.
  if (kid === undefined) throw new KeyProofError('unsupported-binding-method');
  if (typeof kid !== 'string') throw new KeyProofError('unresolvable-key');
  const [, method] = /^(did:[a-z0-9]+):/.exec(kid) ?? [];
  if (method === undefined) return attestedHolder(kid, jws, policy);
  requireBindingMethod(method, policy);
  return resolveKey(kid, policy).then((jwk) => ({ jwk, did: kid.slice(0, kid.indexOf('#')), keyId: kid }));
}

/** A `kid` may fit two keys, such as the index of one and the `kid` of another: it means the one that has signed. */
function attestedHolder(kid: string, jws: DecodedJws, policy: KeyProofPolicy): Holder {
  const { key_attestation: attestation } = jws.header;
  if (attestation === undefined) throw new KeyProofError('unresolvable-key');
  requireBindingMethod('jwk', policy);
  const named = attestedKeysNamed(kid, attestation, policy.maxProofs);
  const jwk = named.length > 1 ? named.find((key) => hasSigned(jws, key, policy.algorithms)) : named[0];
  if (jwk === undefined) throw new KeyProofError(named.length > 1 ? 'bad-signature' : 'unresolvable-key');
  return { jwk };
}

function hasSigned(jws: DecodedJws, key: PublicJwk, algorithms: readonly JwsAlgorithm[]): boolean {
  try {
    verifySignature(jws, key, algorithms);
    return true;
  } catch (error) {
    if (error instanceof KeyProofError) return false;
    throw error;
  }
}

function requireBindingMethod(method: string, { bindingMethods }: KeyProofPolicy): void {
  if (!bindingMethods.some((allowed) => allowed === method)) throw new KeyProofError('unsupported-binding-method');
}

function readJwk(value: JsonValue | undefined): PublicJwk {
  try {
    return parsePublicJwk(value);
  } catch (cause) {
    if (!(cause instanceof PublicJwkError)) throw cause;
    throw new KeyProofError(cause.reason === 'private-key' ? 'private-key' : 'unsupported-key', { cause });
  }
}

async function resolveKey(kid: string, { dids }: KeyProofPolicy): Promise<PublicJwk> {
  try {
    return await dids.resolveKey(kid, 'authentication');
  } catch (cause) {
    if (cause instanceof DidError) throw new KeyProofError('unresolvable-key', { cause });
    throw cause;
  }
}

function verifySignature(jws: DecodedJws, key: PublicJwk, algorithms: readonly JwsAlgorithm[]): void {
  try {
    verifyJws(jws, key, algorithms);
  } catch (cause) {
    if (!(cause instanceof JwsError)) throw cause;
    throw new KeyProofError(cause.reason === 'invalid-key' ? 'unsupported-key' : 'bad-signature', { cause });
  }
}
