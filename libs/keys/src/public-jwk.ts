import { createHash } from 'node:crypto';

/** Public key without decoration: exactly the members RFC 7638 hashes. */
export type PublicJwk =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };

/** RFC 7638 thumbprint (SHA-256, base64url): required members only, in lexical order, without whitespace. */
export function thumbprint(jwk: PublicJwk): string {
  const { kty, crv, x } = jwk;
  const members = jwk.kty === 'EC' ? { crv, kty, x, y: jwk.y } : { crv, kty, x };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
