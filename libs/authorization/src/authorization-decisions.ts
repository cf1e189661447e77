import type { ErasureCause } from '@app/event-store';
import { isRecordable, type WalletRefusal } from '@app/openid4vc';
import type {
  Authorization,
  AuthorizationEvent,
  AuthorizationTerms,
  Identified,
  IssuedCode,
  RedeemedCode,
  RefusalAnswer,
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

/**
 * Who the person is. Can be repeated until the person has decided: the last one counts. Only one presentation is made in a browser,
 * so that however many times its page is opened at once, it is recorded once.
 */
export function identifyPerson(state: Authorization, identified: Identified, now: Date): Decided<PageRefusal> {
  const refusal = endOf(state, now);
  if (refusal) return { events: [], refusal };
  const { source, session } = identified;
  const isKnown = state.status === 'identified' && state.source === source && state.session === session;
  if (isKnown && source === 'presentation') return { events: [] };
  return { events: [{ type: 'PersonIdentified', ...identified }] };
}

/**
 * The person agrees, and the client gets a code: the authorization request is used up with it. The same browser may agree again while
 * the code lives and is not redeemed, because the answer may not have arrived: it is given the same code.
 */
export function giveConsent(
  state: Authorization,
  { session, code }: { readonly session: string; readonly code: IssuedCode },
  now: Date,
): Decided<PageRefusal> {
  if (state.status === 'code-issued' && state.session === session && state.codeHash === code.codeHash) {
    return isRepeatable(state, state.expiresAt, now) ? { events: [] } : { events: [], refusal: 'ended' };
  }
  const refusal = endOf(state, now);
  if (refusal) return { events: [], refusal };
  if (state.status !== 'identified' || state.session !== session) return { events: [], refusal: 'not-identified' };
  return { events: [{ type: 'ConsentGiven' }, { type: 'CodeIssued', ...code }] };
}

/**
 * Ends an authorization. The same browser may refuse again until what is known of the person is erased, because the answer may not have
 * arrived. @returns the answer, the first one for a repetition
 * @param cause absent when the person says no
 */
export function refuseConsent(
  state: Authorization,
  answer: RefusalAnswer,
  now: Date,
  cause?: RefusalCause,
): Decided<PageRefusal> & { readonly answer: RefusalAnswer } {
  if (state.status === 'refused' && state.answer?.session === answer.session) {
    if (isRepeatable(state, state.answer.until, now)) return { events: [], answer: state.answer };
  }
  const refusal = endOf(state, now);
  if (refusal) return { events: [], refusal, answer };
  return { events: [{ type: 'ConsentRefused', answer, ...cause }], answer };
}

export interface CodeRedemption {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  /** base64url of the SHA-256 of the code. */
  readonly codeHash: string;
  /** base64url of the SHA-256 of the code_verifier; `undefined` when there was none. */
  readonly verifierHash: string | undefined;
  readonly instanceKey: string | undefined;
  /** Of the DPoP proof. */
  readonly dpopKey: string | undefined;
  /** Of `authorization_details` in the token request; absent without them. */
  readonly requested?: readonly string[] | undefined;
  /** Until when the tokens of the authorization can be used or refreshed. */
  readonly grantEndsAt: Date;
  readonly now: Date;
}

/** All are `invalid_grant` but `other-key`, which is `invalid_dpop_proof`, and `scope-wider`, which is `invalid_authorization_details`. */
export type CodeRefusal =
  | 'unknown-code'
  | 'code-expired'
  | 'code-used'
  | 'other-client'
  | 'other-wallet'
  | 'other-redirect-uri'
  | 'wrong-verifier'
  | 'other-key'
  | 'scope-wider';

/**
 * Redeems a code once. A second use, by whoever, revokes what the first one gave (RFC 6749 §4.1.2); a failed attempt changes
 * nothing, so that a code cannot be used up without its verifier.
 */
export function redeemCode(state: Authorization, attempt: CodeRedemption): Decided<CodeRefusal> {
  if (!('codeHash' in state)) return { events: [], refusal: state.status === 'revoked' ? 'code-used' : 'unknown-code' };
  if (state.codeHash !== attempt.codeHash) return { events: [], refusal: 'unknown-code' };
  if (state.status === 'redeemed') {
    return { events: revokeAuthorization(state, 'code-reused', attempt.now), refusal: 'code-used' };
  }
  const refusal = faultOf(state, attempt);
  if (refusal) return { events: [], refusal };
  const { dpopKey: tokenKey, requested, grantEndsAt, now } = attempt;
  const until = { redeemedAt: now.toISOString(), grantEndsAt: grantEndsAt.toISOString() };
  const key = tokenKey !== undefined && { tokenKey };
  return { events: [{ type: 'CodeRedeemed', ...until, ...key, ...(requested && { identifiersGiven: true }) }] };
}

export interface Refresh {
  readonly clientId: string;
  /** Whether the client has authenticated itself; a public one has nothing but its DPoP key. */
  readonly isAuthenticated: boolean;
  readonly instanceKey: string | undefined;
  /** Of the DPoP proof. */
  readonly dpopKey: string | undefined;
  /** What the access token is to cover; absent: all of the authorization. */
  readonly configurationIds?: readonly string[] | undefined;
  /** When the access token would end; never after the grant, with which what is known of the person is erased. */
  readonly tokenEndsAt: Date;
  readonly now: Date;
}

/** Milliseconds after a refresh in which further ones are not recorded. */
const unrecorded = 60 * 1000;

/** All are `invalid_grant` but `other-key`, which is `invalid_dpop_proof`, and `scope-wider`, which is `invalid_scope`. */
export type RefreshRefusal = 'grant-ended' | 'other-client' | 'other-wallet' | 'other-key' | 'scope-wider';

/** Lets the wallet that redeemed the code have another access token, for as much as the authorization covers or for less. */
export function refreshToken(state: Authorization, attempt: Refresh): Decided<RefreshRefusal> {
  const { configurationIds, tokenEndsAt, now } = attempt;
  if (state.status !== 'redeemed' || tokenEndsAt > new Date(state.grantEndsAt)) {
    return { events: [], refusal: 'grant-ended' };
  }
  if (attempt.clientId !== state.clientId) return { events: [], refusal: 'other-client' };
  if (attempt.instanceKey !== state.instanceKey) return { events: [], refusal: 'other-wallet' };
  if (isOtherKey(state, attempt)) return { events: [], refusal: 'other-key' };
  if (configurationIds?.some((id) => !state.configurationIds.includes(id))) {
    return { events: [], refusal: 'scope-wider' };
  }
  // A wallet that refreshes without end fills no stream, and is in nobody's way who ends the authorization.
  if (state.refreshedAt !== undefined && now.getTime() < Date.parse(state.refreshedAt) + unrecorded) {
    return { events: [] };
  }
  const refreshedAt = now.toISOString();
  return { events: [{ type: 'TokenRefreshed', refreshedAt, ...(configurationIds && { configurationIds }) }] };
}

/** As a client asks for it that shows a token (RFC 7009). */
export function revokeForClient(
  state: Authorization,
  by: { readonly clientId: string; readonly instanceKey: string | undefined },
  now: Date,
): Decided<'other-client' | 'other-wallet'> {
  if (by.clientId !== state.clientId) return { events: [], refusal: 'other-client' };
  if (by.instanceKey !== state.instanceKey) return { events: [], refusal: 'other-wallet' };
  return { events: revokeAuthorization(state, 'wallet', now) };
}

/** Ends an authorization, all tokens of it and what is known of the person; nothing happens to one that has ended. */
export function revokeAuthorization(state: Authorization, cause: RevocationCause, now: Date): AuthorizationEvent[] {
  if (state.status === 'revoked' || state.status === 'refused') return [];
  return [{ type: 'AuthorizationRevoked', cause }, ...erasePerson(state, 'retention', now)];
}

/** A wallet with a code or token of it was refused. */
export function refuseWalletOfAuthorization({ refusals }: Authorization, refusal: WalletRefusal): AuthorizationEvent[] {
  return isRecordable(refusals, refusal) ? [{ type: 'WalletRefused', ...refusal }] : [];
}

/** Erases what is known of the person when its time has come: when the request was abandoned, or when its last token ended. */
export function forgetPerson(state: Authorization, now: Date): AuthorizationEvent[] {
  const { eraseAt } = state;
  return eraseAt === undefined || !isPast(eraseAt, now) ? [] : erasePerson(state, 'retention', now);
}

/** Erases what is known of the person, once: `erasePersonalData` is in the event store, which deciders do not reach. */
export function erasePerson({ erasedAt }: Authorization, cause: ErasureCause, now: Date): AuthorizationEvent[] {
  return erasedAt === undefined ? [{ type: 'PersonalDataErased', erasedAt: now.toISOString(), cause }] : [];
}

/** RFC 9449 §5: the refresh token of a client that authenticates itself is bound to the client, not to the key. */
function isOtherKey({ tokenKey }: RedeemedCode, { isAuthenticated, dpopKey }: Refresh): boolean {
  if (isAuthenticated) return tokenKey !== undefined && dpopKey === undefined;
  return dpopKey !== tokenKey;
}

function faultOf(state: AuthorizationTerms & IssuedCode, attempt: CodeRedemption): CodeRefusal | undefined {
  if (isPast(state.expiresAt, attempt.now)) return 'code-expired';
  if (attempt.clientId !== state.clientId) return 'other-client';
  if (attempt.instanceKey !== state.instanceKey) return 'other-wallet';
  if (attempt.redirectUri !== state.redirectUri) return 'other-redirect-uri';
  if (attempt.verifierHash !== state.codeChallenge) return 'wrong-verifier';
  if (state.dpopKey !== undefined && attempt.dpopKey !== state.dpopKey) return 'other-key';
  return attempt.requested?.some((id) => !state.configurationIds.includes(id)) ? 'scope-wider' : undefined;
}

function endOf(state: Authorization, now: Date): 'ended' | 'expired' | undefined {
  if (state.status !== 'pushed' && state.status !== 'identified') return 'ended';
  return isPast(state.completableUntil, now) ? 'expired' : undefined;
}

function isRepeatable({ erasedAt }: Authorization, until: string, now: Date): boolean {
  return erasedAt === undefined && !isPast(until, now);
}

function isPast(time: string, now: Date): boolean {
  return now.getTime() >= Date.parse(time);
}
