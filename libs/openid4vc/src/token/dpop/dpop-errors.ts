import { OAuthError } from '../../wire/oauth-error';
import { isDpopScheme } from './access-token-scheme';

/** RFC 9449 §5.1; those that wallets have. */
export const ADVERTISED_DPOP_ALGORITHMS = ['ES256', 'ES384', 'Ed25519'] as const;

/** `EdDSA` is the name that earlier wallets use for Ed25519. */
export const DPOP_ALGORITHMS = [...ADVERTISED_DPOP_ALGORITHMS, 'EdDSA'] as const;

/** Why a proof is not accepted. */
export class DpopFault extends Error {
  override readonly name = 'DpopFault';

  constructor(
    readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce',
    message: string,
  ) {
    super(message);
  }
}

/** Where a proof is refused: RFC 9449 §5 asks for the answer of an authorization server, §7.1 for that of a resource server. */
export type DpopPlace = 'authorization-server' | 'resource';

type DpopCode = DpopFault['code'];

/** @param nonce for the next proof */
export function dpopError(code: DpopCode, description: string, place: DpopPlace, nonce?: string): OAuthError {
  const offered = nonce === undefined ? undefined : { 'DPoP-Nonce': nonce };
  return place === 'resource'
    ? new OAuthError(code, description, { status: 401, headers: { ...offered, ...dpopChallenge(code, description) } })
    : new OAuthError(code, description, offered && { headers: offered });
}

export function wrongProofAgain(place: DpopPlace): OAuthError {
  const description = 'The DPoP proof was used before: make a new one, with a new jti, for each request.';
  return dpopError('invalid_dpop_proof', description, place);
}

/** A token that does not fit the scheme it came with. */
export function wrongSchemeError(description: string): OAuthError {
  return new OAuthError('invalid_token', description, {
    reason: 'token-scheme',
    headers: dpopChallenge('invalid_token', description),
  });
}

/** The challenge to a refused access token in the scheme that it came with (RFC 9449 §7.1); nothing where the refusal has it. */
export function challengeInScheme(
  { code, reason, description }: OAuthError,
  authorization: string | undefined,
): Record<string, string> {
  if (code !== 'invalid_token' && code !== 'insufficient_scope') return {};
  return reason !== 'token-scheme' && isDpopScheme(authorization) ? dpopChallenge(code, description) : {};
}

/** RFC 9449 §7.1. */
export function dpopChallenge(
  code: DpopCode | 'invalid_token' | 'insufficient_scope',
  description: string,
): Record<string, string> {
  const words = quotable(description);
  const challenge = `DPoP error="${code}", error_description="${words}", algs="${ADVERTISED_DPOP_ALGORITHMS.join(' ')}"`;
  return { 'WWW-Authenticate': challenge };
}

/** What may stand between quotation marks in a header (RFC 6750 §3). */
export function quotable(words: string): string {
  return words.replaceAll('"', "'").replaceAll('\\', '/');
}
