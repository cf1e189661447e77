import type { Aggregate, Erasable, PersonalDataErased, Repository } from '@app/event-store';
import type { Granted, LinkedOffer } from '@app/offers';
import { type RecordedRefusals, type WalletRefusal, withRefusal } from '@app/openid4vc';
import type { Identification } from '@app/templates';

/** What a client asked for, fixed since it pushed its authorization request (RFC 9126). */
export interface AuthorizationTerms extends Granted {
  readonly authorizationId: string;
  /** The request_uri, codes and tokens follow from it; none of them can be read from the database. */
  readonly handleSalt: string;
  readonly clientId: string;
  /** As the client is called where the person decides. */
  readonly clientName?: string;
  /** The client's `state`, sealed under the data key of the authorization. */
  readonly sealedState?: string;
  readonly redirectUri: string;
  /** PKCE with S256 (RFC 7636 §4.2). */
  readonly codeChallenge: string;
  /** The offer that was named by `issuer_state`; absent when the wallet began by itself. */
  readonly offerId?: string;
  /** Its link at that time, as `LinkedOffer.handleHash`. */
  readonly offerHandleHash?: string;
  /** The key that the wallet's attestation names, as `AuthorizationSecrets.nameOfKey`; only the same wallet may redeem the code. */
  readonly instanceKey?: string;
  /** The DPoP key that the code is bound to (RFC 9449 §10), as `AuthorizationSecrets.nameOfKey`. */
  readonly dpopKey?: string;
  readonly pushedAt: string;
  /** Until then the person may identify and decide. */
  readonly completableUntil: string;
}

export interface Identified {
  /** How it is known who the person is. */
  readonly source: Identification;
  /** Sealed under the data key of the authorization. */
  readonly sealedClaims: string;
  /** Of the browser in which they were identified; no other may decide for them. */
  readonly session: string;
}

export interface IssuedCode {
  /** base64url of its SHA-256. */
  readonly codeHash: string;
  readonly expiresAt: string;
}

export interface RedeemedCode {
  readonly redeemedAt: string;
  /** When the last token of it ends, be it refreshed or not. */
  readonly grantEndsAt: string;
  /** The key that the tokens are bound to, as `AuthorizationSecrets.nameOfKey`; absent for bearer tokens. */
  readonly tokenKey?: string;
  /** The token request had `authorization_details`; absent: what the pushed request had counts. */
  readonly identifiersGiven?: boolean;
}

export interface RefreshedToken {
  readonly refreshedAt: string;
  /** What the new access token covers, when that is less than the authorization. */
  readonly configurationIds?: readonly string[];
}

/** Why the service ends a request itself; absent when the person said no. */
export interface RefusalCause {
  /** One word for machines. */
  readonly reason: string;
  /** Names of claims that are missing or wrong, never their values. */
  readonly claims?: readonly string[];
}

/** What the browser was sent back with, for one that did not hear it. */
export interface RefusalAnswer {
  readonly session: string;
  readonly error: ErrorForClient;
  /** Until then the same browser is told again; what is known of the person is erased then. */
  readonly until: string;
}

export type ErrorForClient = 'access_denied' | 'temporarily_unavailable' | 'server_error';

export type RevocationCause = 'code-reused' | 'wallet' | 'portal';

export type AuthorizationEvent =
  | ({ readonly type: 'AuthorizationPushed' } & AuthorizationTerms)
  | ({ readonly type: 'PersonIdentified' } & Identified)
  | { readonly type: 'ConsentGiven' }
  | ({ readonly type: 'ConsentRefused'; readonly answer?: RefusalAnswer } & Partial<RefusalCause>)
  | ({ readonly type: 'CodeIssued' } & IssuedCode)
  | ({ readonly type: 'CodeRedeemed' } & RedeemedCode)
  | ({ readonly type: 'TokenRefreshed' } & RefreshedToken)
  | { readonly type: 'AuthorizationRevoked'; readonly cause: RevocationCause }
  | ({ readonly type: 'WalletRefused' } & WalletRefusal)
  | PersonalDataErased;

interface Lasting extends AuthorizationTerms, Erasable {
  /** Absent until there is one. */
  readonly refusals?: RecordedRefusals;
}

export type Authorization = Lasting &
  (
    | { readonly status: 'pushed' }
    | ({ readonly status: 'identified' } & Identified)
    | ({ readonly status: 'consented' } & Identified)
    | { readonly status: 'refused'; readonly answer?: RefusalAnswer }
    | ({ readonly status: 'code-issued' } & Identified & IssuedCode)
    | ({ readonly status: 'redeemed' } & Identified &
        IssuedCode &
        RedeemedCode &
        Partial<Pick<RefreshedToken, 'refreshedAt'>>)
    | { readonly status: 'revoked'; readonly cause: RevocationCause }
  );

const CATEGORY = 'authorization';

/** The stream of an authorization, to which its data key belongs. */
export function streamOfAuthorization(authorizationId: string): string {
  return `${CATEGORY}-${authorizationId}`;
}

/** The offer that an authorization was begun with, by its link at that time. */
export function linkedOffer({ offerId, offerHandleHash = '' }: AuthorizationTerms): LinkedOffer | undefined {
  return offerId === undefined ? undefined : { offerId, handleHash: offerHandleHash };
}

export type Authorizations = Repository<Authorization, AuthorizationEvent>;

/** Injection token of the authorizations' repository. */
export const AUTHORIZATIONS = Symbol('AUTHORIZATIONS');

export const authorizationAggregate: Aggregate<Authorization, AuthorizationEvent> = {
  category: CATEGORY,
  evolve: evolveAuthorization,
  parent: ({ offerId }) => offerId,
  stateIndex: 'authorizations_by_status',
};

function evolveAuthorization(state: Authorization | undefined, event: AuthorizationEvent): Authorization {
  if (event.type === 'AuthorizationPushed') {
    const { type: _type, ...terms } = event;
    return { ...terms, status: 'pushed', eraseAt: terms.completableUntil };
  }
  if (!state) throw new Error('an authorization event without its request');
  switch (event.type) {
    case 'PersonIdentified': {
      if (state.status !== 'pushed' && state.status !== 'identified') throw outOfOrder(event);
      const { type: _type, ...identified } = event;
      return { ...state, status: 'identified', ...identified };
    }
    case 'ConsentGiven':
      if (state.status !== 'identified') throw outOfOrder(event);
      return { ...state, status: 'consented' };
    case 'ConsentRefused': {
      const { answer } = event;
      const { sealedState } = state;
      if (!answer) return { ...termsOf(state), status: 'refused' };
      const kept = { ...(sealedState !== undefined && { sealedState }), eraseAt: answer.until };
      return { ...termsOf(state), ...kept, status: 'refused', answer };
    }
    case 'CodeIssued': {
      if (state.status !== 'consented') throw outOfOrder(event);
      const { type: _type, ...code } = event;
      return { ...state, status: 'code-issued', ...code, eraseAt: code.expiresAt };
    }
    case 'CodeRedeemed': {
      if (state.status !== 'code-issued') throw outOfOrder(event);
      const { type: _type, ...redeemed } = event;
      return { ...state, status: 'redeemed', ...redeemed, eraseAt: redeemed.grantEndsAt };
    }
    case 'TokenRefreshed':
      if (state.status !== 'redeemed') throw outOfOrder(event);
      return { ...state, refreshedAt: event.refreshedAt };
    case 'AuthorizationRevoked':
      return { ...termsOf(state), status: 'revoked', cause: event.cause };
    case 'WalletRefused':
      return { ...state, refusals: withRefusal(state.refusals, event) };
    case 'PersonalDataErased':
      return { ...state, erasedAt: event.erasedAt };
  }
}

/** What is left of an authorization that has ended: nothing about the person, no code. */
function termsOf(state: Authorization): Lasting {
  const { authorizationId, handleSalt, clientId, redirectUri, codeChallenge, pushedAt, completableUntil } = state;
  const { configurationIds, identifiersGiven, clientName, offerId, instanceKey, dpopKey, erasedAt, refusals } = state;
  return {
    authorizationId,
    handleSalt,
    clientId,
    redirectUri,
    codeChallenge,
    configurationIds,
    identifiersGiven,
    pushedAt,
    completableUntil,
    ...(clientName !== undefined && { clientName }),
    ...(offerId !== undefined && { offerId }),
    ...(instanceKey !== undefined && { instanceKey }),
    ...(dpopKey !== undefined && { dpopKey }),
    ...(erasedAt !== undefined && { erasedAt }),
    ...(refusals && { refusals }),
  };
}

function outOfOrder({ type }: AuthorizationEvent): Error {
  return new Error(`${type} where it cannot follow`);
}
