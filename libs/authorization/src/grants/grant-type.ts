import type { Denial, Grant, GrantName } from '@app/offers';
import type { RefusedStep, ShownForToken, TokenRequest } from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import type { OAuthClient } from '../clients/oauth-client';
import type { ProvenKey } from '../dpop/proven-key';

/** By whom a token is asked for. */
export interface Requester {
  /** IP address, by which guesses are limited. */
  readonly address: string;
  /** Absent when the wallet did not name itself. */
  readonly client?: OAuthClient;
  /** The key of the DPoP proof, to which the token is bound. */
  readonly key?: ProvenKey;
}

/** What a wallet got for a token request. */
export interface NewGrant {
  readonly name: GrantName;
  readonly configurationIds: readonly string[];
  /** Whether the token response names credential identifiers. */
  readonly identifiersGiven: boolean;
  /** Places of the configurations that the token is for, when those are not all of the grant. */
  readonly covers?: readonly number[];
  /** Values separated by spaces (RFC 6749 §3.3), of a grant that has any. */
  readonly scope?: string;
  readonly refreshToken?: string;
  /** Whether the wallet may have to wait for data. */
  readonly isDeferred: boolean;
  /** When the token begins to live; before `now` in an answer that is given again. */
  readonly grantedAt: Date;
  /** The database's clock. */
  readonly now: Date;
}

/** By which a refused request shows what it is about: the grant of its token, or what is in a token request. */
export type GrantedBy = GrantName | ShownForToken;

/** One grant type (RFC 6749 §1.3): how a wallet gets a token, and what it is good for. */
export interface GrantType<Request extends TokenRequest = TokenRequest> {
  /** Throws `OAuthError`. */
  redeem(request: Request, by: Requester): Promise<NewGrant>;
  /** `undefined` when there is no such grant, or no longer. */
  find(name: GrantName): Awaitable<Grant | undefined>;
  /** As `AwaitGrantedCredential`. */
  awaitCredential(grant: Grant, configurationId: string, credentialId: string): Promise<string | undefined>;
  /** Lets the portal see why the bearer of a token was denied credentials. In a separate unit of work: that of a refused request stores nothing. */
  recordDenials(name: GrantName, denials: readonly Denial[]): Promise<void>;
  /** Lets the portal see that a wallet was refused; nothing happens for a code that is not of this grant type. */
  noteRefusal(by: GrantedBy, refusal: RefusedStep): Promise<void>;
  /** The connection ended before the answer to a token request was out. */
  recordLostAnswer(name: GrantName): Promise<void>;
}
