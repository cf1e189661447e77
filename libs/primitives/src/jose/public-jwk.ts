import { hash } from 'node:crypto';
import { decodeBase64Url } from './strict-base64url';

/** A public key with exactly the members that define it; coordinates in canonical base64url of the full length. */
export type PublicJwk =
  | { readonly kty: 'EC'; readonly crv: 'P-256' | 'P-384'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };

export class PublicJwkError extends Error {
  override readonly name = 'PublicJwkError';

  constructor(
    readonly reason: 'malformed' | 'private-key' | 'unsupported-key',
    message: string,
  ) {
    super(message);
  }
}

// RFC 7518 §6.2.2, §6.3.2, §6.4: every member that carries private or symmetric key material.
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const COORDINATE_BYTES = { 'P-256': 32, 'P-384': 48, Ed25519: 32 };

/**
 * Reads a public JWK (RFC 7517): P-256, P-384 or Ed25519. Everything but `kty`, `crv`, `x` and `y` is dropped, a
 * private member is refused. Whether the point lies on its curve is decided when the key is imported to verify.
 * Throws `PublicJwkError`.
 */
export function parsePublicJwk(value: unknown): PublicJwk {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PublicJwkError('malformed', 'the key is not a JSON object');
  }
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(value, member))) {
    throw new PublicJwkError('private-key', 'the key contains private key material');
  }
  const { kty, crv, x, y } = value as Record<string, unknown>;
  if (kty === 'EC' && (crv === 'P-256' || crv === 'P-384')) {
    return { kty, crv, x: coordinate(x, crv), y: coordinate(y, crv) };
  }
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x: coordinate(x, crv) };
  throw new PublicJwkError('unsupported-key', 'the key is not a P-256, P-384 or Ed25519 key');
}

/** The RFC 7638 thumbprint (SHA-256, base64url, 43 characters). */
export function thumbprint(jwk: PublicJwk): string {
  return hash('sha256', canonicalJwk(jwk), 'base64url');
}

/** Says whether two keys are the same key. */
export function equalJwks(one: PublicJwk, other: PublicJwk): boolean {
  return canonicalJwk(one) === canonicalJwk(other);
}

/** RFC 7638 §3: the required members in lexicographic order, without white space. */
export function canonicalJwk(jwk: PublicJwk): string {
  return jwk.kty === 'EC'
    ? `{"crv":"${jwk.crv}","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`
    : `{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`;
}

function coordinate(value: unknown, curve: keyof typeof COORDINATE_BYTES): string {
  if (typeof value !== 'string' || decodeBase64Url(value)?.length !== COORDINATE_BYTES[curve]) {
    throw new PublicJwkError('malformed', 'a coordinate of the key is missing or has the wrong length');
  }
  return value;
}
