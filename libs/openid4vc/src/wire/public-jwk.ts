import { type CredentialSigningAlgorithm } from './algorithm-names';

/** A public signing key as published; `kid` is the one in the JOSE headers of what it signs. */
export interface JwksKey {
  readonly kid: string;
  readonly publicJwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y?: string };
  readonly algorithm: CredentialSigningAlgorithm;
}

export interface PublishedJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
  readonly kid: string;
  readonly alg: string;
  readonly use: 'sig';
}

/** Copies the public members one by one, so that a private one cannot slip into a document. */
export function renderPublicJwk({ kid, publicJwk, algorithm }: JwksKey): PublishedJwk {
  const { kty, crv, x, y } = publicJwk;
  return { kty, crv, x, ...(y === undefined ? {} : { y }), kid, alg: algorithm, use: 'sig' };
}

/** RFC 7517 §5: the document behind `jwks_uri`. */
export function renderJwks(keys: readonly JwksKey[]): { keys: PublishedJwk[] } {
  return { keys: keys.map(renderPublicJwk) };
}
