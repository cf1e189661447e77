import type { JsonObject } from './strict-json';
import type { PublicJwk } from './public-jwk';

export const JWS_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;
export type JwsAlgorithm = (typeof JWS_ALGORITHMS)[number];

/** Signs a header and a payload as compact JWS. The signer adds `alg` and `kid` (and `x5c`) to the header it is given. */
export type SignJws = (header: JsonObject, payload: JsonObject) => string;

export type JwsLimits = { readonly maxLength?: number };

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

export class JwsError extends Error {
  override readonly name = 'JwsError';

  constructor(
    readonly reason: JwsErrorReason,
    message: string,
  ) {
    super(message);
  }
}

/** Decodes a compact JWS without verifying it. Throws `JwsError`. */
export function decodeJws(_token: string, _limits: JwsLimits = {}): DecodedJws {
  throw new Error('not built yet');
}

/** Verifies a decoded JWS; `algorithms` is the caller's allow-list. Synchronous. Throws `JwsError`. */
export function verifyJws(_jws: DecodedJws, _key: PublicJwk, _algorithms: readonly JwsAlgorithm[]): void {
  throw new Error('not built yet');
}
