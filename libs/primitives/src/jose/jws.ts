import { verify } from 'node:crypto';
import { type JsonObject, parseStrictJsonObject, StrictJsonError } from '../json/index';
import type { PublicJwk } from './public-jwk';
import { importPublicKey } from './public-key';
import { decodeBase64Url } from './strict-base64url';

/** The signature algorithms of the service: asymmetric only. `Ed25519` is RFC 9864's name for `EdDSA` on that curve. */
export const JWS_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;
export type JwsAlgorithm = (typeof JWS_ALGORITHMS)[number];

/** Signs a header and a payload as compact JWS. The signer adds `alg` and `kid` (and `x5c`) to the header it is given. */
export type SignJws = (header: JsonObject, payload: JsonObject) => Promise<string>;

export type JwsLimits = {
  /** Characters of the whole token. Default 65536. */
  readonly maxLength?: number;
};

export type DecodedJws = {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** `BASE64URL(header) . BASE64URL(payload)` as received: what the signature covers. */
  readonly signingInput: string;
  readonly signature: Buffer;
};

export type JwsErrorReason =
  | 'too-long'
  | 'malformed'
  | 'critical-header'
  | 'unsupported-algorithm'
  | 'key-mismatch'
  | 'invalid-key'
  | 'bad-signature';

/** A token that is not a valid JWS; the message holds nothing of the token. */
export class JwsError extends Error {
  override readonly name = 'JwsError';

  constructor(
    readonly reason: JwsErrorReason,
    message: string,
  ) {
    super(message);
  }
}

const MAX_LENGTH = 65_536;

// RFC 7518 §3.4, RFC 8037 §3.1: one curve, one digest and one signature length per algorithm.
const PARAMETERS = {
  ES256: { crv: 'P-256', digest: 'sha256', signatureBytes: 64 },
  ES384: { crv: 'P-384', digest: 'sha384', signatureBytes: 96 },
  EdDSA: { crv: 'Ed25519', digest: null, signatureBytes: 64 },
  Ed25519: { crv: 'Ed25519', digest: null, signatureBytes: 64 },
} as const;

/**
 * Decodes a compact JWS whose payload is a JSON object, without verifying it. Strict: three canonical base64url
 * parts, strict JSON (`parseStrictJson`), no `crit`. Throws `JwsError`.
 */
export function decodeJws(token: string, limits: JwsLimits = {}): DecodedJws {
  if (token.length > (limits.maxLength ?? MAX_LENGTH)) throw new JwsError('too-long', 'the token is too long');
  const headerEnd = token.indexOf('.');
  const payloadEnd = token.indexOf('.', headerEnd + 1);
  if (headerEnd < 0 || payloadEnd < 0) throw malformed('the token does not have three parts');
  const signature = decodeBase64Url(token.slice(payloadEnd + 1));
  if (signature === undefined) throw malformed('the signature is not base64url');
  const header = jsonPart(token.slice(0, headerEnd), 'the header is not a JSON object in base64url');
  // RFC 7515 §4.1.11: an extension that is not understood makes the JWS invalid, and none is understood here.
  if (Object.hasOwn(header, 'crit')) throw new JwsError('critical-header', 'the header has a crit member');
  return {
    header,
    payload: jsonPart(token.slice(headerEnd + 1, payloadEnd), 'the payload is not a JSON object in base64url'),
    signingInput: token.slice(0, payloadEnd),
    signature,
  };
}

/**
 * Verifies the signature of a decoded JWS, synchronously. `algorithms` is the caller's allow-list; the key decides
 * which of them is possible, so that a header cannot choose another way to read the key. Throws `JwsError`.
 */
export function verifyJws(jws: DecodedJws, key: PublicJwk, algorithms: readonly JwsAlgorithm[]): void {
  const algorithm = algorithms.find((allowed) => allowed === jws.header['alg']);
  if (algorithm === undefined) throw new JwsError('unsupported-algorithm', 'the algorithm is not accepted');
  if (!isSignedBy(key, algorithm, Buffer.from(jws.signingInput), jws.signature)) {
    throw new JwsError('bad-signature', 'the signature does not verify');
  }
}

/** Whether a signature in the form of JWS, r and s side by side, is that of the key over the data. Throws `JwsError` for another key. */
export function isSignedBy(key: PublicJwk, algorithm: JwsAlgorithm, data: Buffer, signature: Buffer): boolean {
  const { crv, digest, signatureBytes } = PARAMETERS[algorithm];
  if (key.crv !== crv) throw new JwsError('key-mismatch', 'the algorithm does not fit the key');
  const publicKey = importPublicKey(key);
  if (publicKey === undefined) throw new JwsError('invalid-key', 'the key is not a valid point of its curve');
  return (
    signature.length === signatureBytes &&
    verify(digest, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
  );
}

function jsonPart(encoded: string, fault: string): JsonObject {
  const bytes = decodeBase64Url(encoded);
  if (bytes === undefined) throw malformed(fault);
  try {
    return parseStrictJsonObject(bytes);
  } catch (error) {
    if (error instanceof StrictJsonError) throw malformed(fault);
    throw error;
  }
}

function malformed(message: string): JwsError {
  return new JwsError('malformed', message);
}
