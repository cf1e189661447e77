/** Why an access token is not accepted. */
export interface TokenFault {
  /** A word for log and metrics; never anything out of the token but the name of a registered claim. */
  readonly reason: `token-${string}`;
  /** For the caller: what is wrong and what to send instead, as a sentence; nothing out of the token. */
  readonly detail: string;
  /** `invalid_token` (RFC 6750 §3.1) when absent. */
  readonly error?: 'invalid_dpop_proof';
  /** By which the token should come, where that is another one than it came by. */
  readonly scheme?: 'Bearer' | 'DPoP';
}

/** @param detail without what it is about: `it has expired` */
export function tokenFault(
  reason: string,
  detail: string,
  more: Omit<TokenFault, 'reason' | 'detail'> = {},
): TokenFault {
  return { reason: `token-${reason}`, detail: `The access token is not accepted: ${detail}.`, ...more };
}
