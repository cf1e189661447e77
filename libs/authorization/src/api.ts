import type { ErasureCause, SingleUse } from '@app/event-store';
import type { Denial, Grant, GrantName } from '@app/offers';
import type { TimelineEntry } from '@app/http';
import type { RefusedStep } from '@app/openid4vc';
import type { IdentifiedPerson } from '@app/templates';
import { Command, Query } from '@nestjs/cqrs';
import type { AccessToken } from './wallet-tokens';

export { authorizationAggregate } from './authorization';
export { authorizationCounter, authorizationPublication } from './authorization-events';
export { DpopProofs } from './dpop/dpop-proofs';
export { LoginFailure } from './identification/login-failure';
export { LoginKeys } from './identification/login-keys';
export { type LoginBinding, type OpenIdClient, ProviderClient } from './identification/provider-client';
export { failureOf } from './identification/provider-failure';
export { rehearseLogin } from './identification/login-rehearsal';
export { replayedProof } from './replayed-proof';
export { WalletAuthentication } from './wallet-authentication';
export { type AccessToken, nonceLifetime, type PlaceInGrant, WalletTokens } from './wallet-tokens';

/** What the bearer of an access token may be issued, by the clock of the database. Throws `OAuthError` when the token is void. */
export class FindGrant extends Query<Grant> {
  constructor(readonly token: AccessToken) {
    super();
  }
}

/**
 * Notes that the wallet of a grant waits for the data of a credential. Joins the caller's unit of work.
 * @returns the id of the credential: another one than the given one when it exists already, `undefined` when the grant is void
 */
export class AwaitGrantedCredential extends Command<string | undefined> {
  constructor(
    readonly name: GrantName,
    readonly grant: Grant,
    readonly configurationId: string,
    readonly credentialId: string,
  ) {
    super();
  }
}

/** Lets the portal see why the bearer of a token was denied credentials. In a separate unit of work: that of a refused request stores nothing. */
export class ReportDenials extends Command<void> {
  constructor(
    readonly name: GrantName,
    readonly denials: readonly Denial[],
  ) {
    super();
  }
}

/**
 * The configurations of which a credential was revoked: of those that an authorization gave, or of all with these ids. Answered by
 * the module that issues them.
 */
export class FindRevoked extends Query<readonly string[]> {
  constructor(readonly of: { readonly authorizationId: string } | { readonly credentialIds: readonly string[] }) {
    super();
  }
}

/** Who gave an authorization, as they were identified; `undefined` when that was erased. */
export class FindPerson extends Query<IdentifiedPerson | undefined> {
  constructor(readonly authorizationId: string) {
    super();
  }
}

/** Erases what is known of the person of an authorization, or of those that began with an offer. Joins the caller's unit of work. */
export class ErasePerson extends Command<void> {
  constructor(
    readonly of: { readonly authorizationId: string } | { readonly offerId: string },
    readonly cause: ErasureCause,
  ) {
    super();
  }
}

/** Uses up the proofs that came with an access token; joins the caller's unit of work. Throws `OAuthError` for one that was used before. */
export class UseProofs extends Command<void> {
  constructor(readonly uses: readonly SingleUse[]) {
    super();
  }
}

/** The refusals of wallets by an authorization that concern a credential, for its timeline. */
export class FindWalletRefusals extends Query<readonly TimelineEntry[]> {
  constructor(
    readonly authorizationId: string,
    readonly configurationId: string,
  ) {
    super();
  }
}

/** What an endpoint knows of a request that it refuses. */
export type RefusedRequest = Pick<RefusedStep, 'endpoint' | 'generation' | 'requestClass' | 'configurationId'>;

/** Lets the portal see that the bearer of a token was refused by this exception. Resolves before it is recorded. */
export class NoteRefusedWallet extends Command<void> {
  constructor(
    readonly name: GrantName,
    readonly exception: unknown,
    readonly about: RefusedRequest,
  ) {
    super();
  }
}
