import type {
  Authorization,
  AuthorizationEvent,
  AuthorizationTerms,
  Identified,
  IssuedCode,
  RefusalCause,
  RevocationCause,
} from './authorization';

export function pushAuthorization(terms: AuthorizationTerms): AuthorizationEvent[] {
  return [{ type: 'AuthorizationPushed', ...terms }];
}

/** Why a page can go no further with an authorization. */
export type PageRefusal = 'ended' | 'expired' | 'not-identified';

interface Decided<Refusal> {
  readonly events: AuthorizationEvent[];
  readonly refusal?: Refusal;
}

/** Who the person is. Can be repeated until the person has decided: the last one counts. */
export function identifyPerson(state: Authorization, identified: Identified, now: Date): Decided<PageRefusal> {
  const refusal = endOf(state, now);
  return refusal ? { events: [], refusal } : { events: [{ type: 'PersonIdentified', ...identified }] };
}

/** The person agrees, and the client gets a code: the authorization request is used up with it. */
export function giveConsent(
  state: Authorization,
  { session, code }: { readonly session: string; readonly code: IssuedCode },
  now: Date,
): Decided<PageRefusal> {
  const refusal = endOf(state, now);
  if (refusal) return { events: [], refusal };
  if (state.status !== 'identified' || state.session !== session) return { events: [], refusal: 'not-identified' };
  return { events: [{ type: 'ConsentGiven' }, { type: 'CodeIssued', ...code }] };
}

/** @param cause absent when the person says no */
export function refuseConsent(state: Authorization, now: Date, cause?: RefusalCause): Decided<PageRefusal> {
  const refusal = endOf(state, now);
  return refusal ? { events: [], refusal } : { events: [{ type: 'ConsentRefused', ...cause }] };
}

export interface CodeRedemption {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  /** base64url of the SHA-256 of the code. */
  readonly codeHash: string;
  /** base64url of the SHA-256 of the code_verifier; `undefined` when there was none. */
  readonly verifierHash: string | undefined;
  readonly instanceThumbprint: string | undefined;
  /** Of the DPoP proof. */
  readonly dpopThumbprint: string | undefined;
  readonly now: Date;
}

/** All are `invalid_grant` but `other-key`, which is `invalid_dpop_proof`. */
export type CodeRefusal =
  | 'unknown-code'
  | 'code-expired'
  | 'code-used'
  | 'other-client'
  | 'other-wallet'
  | 'other-redirect-uri'
  | 'wrong-verifier'
  | 'other-key';

/**
 * Redeems a code once. A second use, by whoever, revokes what the first one gave (RFC 6749 §4.1.2); a failed attempt changes
 * nothing, so that a code cannot be used up without its verifier.
 */
export function redeemCode(state: Authorization, attempt: CodeRedemption): Decided<CodeRefusal> {
  if (!('codeHash' in state)) return { events: [], refusal: state.status === 'revoked' ? 'code-used' : 'unknown-code' };
  if (state.codeHash !== attempt.codeHash) return { events: [], refusal: 'unknown-code' };
  if (state.status === 'redeemed') return { events: revokeAuthorization(state, 'code-reused'), refusal: 'code-used' };
  const refusal = faultOf(state, attempt);
  if (refusal) return { events: [], refusal };
  const { dpopThumbprint: tokenThumbprint, now } = attempt;
  const redeemed = { redeemedAt: now.toISOString(), ...(tokenThumbprint !== undefined && { tokenThumbprint }) };
  return { events: [{ type: 'CodeRedeemed', ...redeemed }] };
}

/** Ends an authorization and all tokens of it; nothing happens to one that has ended. */
export function revokeAuthorization(state: Authorization, cause: RevocationCause): AuthorizationEvent[] {
  return state.status === 'revoked' || state.status === 'refused' ? [] : [{ type: 'AuthorizationRevoked', cause }];
}

function faultOf(state: AuthorizationTerms & IssuedCode, attempt: CodeRedemption): CodeRefusal | undefined {
  if (isPast(state.expiresAt, attempt.now)) return 'code-expired';
  if (attempt.clientId !== state.clientId) return 'other-client';
  if (attempt.instanceThumbprint !== state.instanceThumbprint) return 'other-wallet';
  if (attempt.redirectUri !== state.redirectUri) return 'other-redirect-uri';
  if (attempt.verifierHash !== state.codeChallenge) return 'wrong-verifier';
  const isBound = state.dpopThumbprint !== undefined;
  return isBound && attempt.dpopThumbprint !== state.dpopThumbprint ? 'other-key' : undefined;
}

function endOf(state: Authorization, now: Date): 'ended' | 'expired' | undefined {
  if (state.status !== 'pushed' && state.status !== 'identified') return 'ended';
  return isPast(state.completableUntil, now) ? 'expired' : undefined;
}

function isPast(time: string, now: Date): boolean {
  return now.getTime() >= Date.parse(time);
}
