import { type Decision, EventStore, type FoundStream } from '@app/event-store';
import { credentialsOfAuthorization, type Denial, type Grant, type GrantName } from '@app/offers';
import { hashOfSecret } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { type AuthorizationCodeRequest, OAuthError, type RefusedStep, type TokenRequest } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { type Authorization, type AuthorizationEvent, type Authorizations, AUTHORIZATIONS } from '../authorization';
import { type CodeRefusal, redeemCode } from '../authorization-decisions';
import { AuthorizationSecrets } from '../authorization-secrets';
import { unnamedClient } from '../clients/client-faults';
import { withErasure } from '../person-erasure';
import { CodeTokens } from './code-tokens';
import type { GrantedBy, GrantType, NewGrant, Requester } from './grant-type';
import { OfferedGrant } from './offered-grant';

type Request = TokenRequest & AuthorizationCodeRequest;
type Outcome = { readonly refusal: CodeRefusal | 'offer-not-open' } | { readonly granted: NewGrant };

/** All requests with one code at once lose against each other a few times at most: the second use revokes, and later ones change nothing. */
const attempts = 8;

/** The authorization code grant (RFC 6749 §4.1.3, RFC 7636): a person has agreed to what a client asked for. */
@Injectable()
export class AuthorizationCodeGrant implements GrantType<Request> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly secrets: AuthorizationSecrets,
    private readonly tokens: CodeTokens,
    private readonly offered: OfferedGrant,
  ) {}

  async redeem(request: Request, by: Requester): Promise<NewGrant> {
    const { client, key } = by;
    if (!client) throw unnamedClient();
    const read = this.secrets.readCode(request.code);
    if (!read) throw errorOf('unknown-code');
    const { codeVerifier, redirectUri, requestedConfigurationIds: requested } = request;
    const outcome = await this.secrets.handles.update<Authorization, AuthorizationEvent, Outcome>(
      this.authorizations,
      read.handleHash,
      ({ id, state, now }) => {
        const grantEndsAt = this.tokens.endOfGrant(by, now);
        const decided = redeemCode(state, {
          clientId: client.clientId,
          redirectUri,
          codeHash: read.codeHash,
          verifierHash: isVerifier(codeVerifier) ? hashOfSecret(codeVerifier).toString('base64url') : undefined,
          instanceKey: this.secrets.nameOfKey(state, client.instanceThumbprint),
          dpopKey: this.secrets.nameOfKey(state, key?.thumbprint),
          requested,
          grantEndsAt,
          now,
        });
        const { events, refusal } = decided;
        if (refusal) {
          return whenThere(withErasure(this.store, id, decided), () => ({ events, result: { refusal } }));
        }
        const consume = [...client.uses, ...(key?.uses ?? []), this.secrets.grants.bindingOf(state, grantEndsAt)];
        const refreshToken = this.tokens.refreshTokenFor(by, state, grantEndsAt);
        const covers = requested ?? state.configurationIds;
        const redeemed = requested ? { ...state, identifiersGiven: true } : state;
        return this.granted(redeemed, { covers, now }, refreshToken, { events, consume });
      },
      { attempts },
    );
    if (!outcome) throw errorOf('unknown-code');
    if ('refusal' in outcome) throw errorOf(outcome.refusal);
    return outcome.granted;
  }

  /** Uses up what is granted, which then has tokens. */
  private async granted(
    state: Authorization,
    { covers, now }: { readonly covers: readonly string[]; readonly now: Date },
    refreshToken: string | undefined,
    redeemed: Pick<Decision<AuthorizationEvent, Outcome>, 'events' | 'consume'>,
  ): Promise<Decision<AuthorizationEvent, Outcome>> {
    if (!(await this.offered.redeem(state))) return { events: [], result: { refusal: 'offer-not-open' } };
    const configurationIds = state.configurationIds.filter((id) => covers.includes(id));
    const granted = await this.tokens.newGrant(state, { configurationIds, now }, refreshToken);
    return { ...redeemed, result: { granted } };
  }

  find({ hash }: GrantName): Awaitable<Grant | undefined> {
    return whenThere(this.secrets.grants.find(this.authorizations, hash), (found) =>
      found?.state.status === 'redeemed'
        ? whenThere(this.offered.find(found.state), (offered) =>
            offered === 'authorization' ? grantOf(found.state, found.now) : offered,
          )
        : undefined,
    );
  }

  /** Nothing waits for a credential of an authorization without an offer: its id is known. */
  awaitCredential(grant: Grant, configurationId: string, credentialId: string): Promise<string | undefined> {
    return this.offered.awaitCredential(grant, configurationId, credentialId);
  }

  async recordDenials({ hash }: GrantName, denials: readonly Denial[]): Promise<void> {
    const found = await this.secrets.grants.find(this.authorizations, hash);
    if (found) await this.offered.recordDenials(found.state, denials);
  }

  async noteRefusal(by: GrantedBy, refusal: RefusedStep): Promise<void> {
    const found = await this.shownBy(by);
    if (found) await this.offered.noteRefusal(found.state, refusal);
  }

  /** A code is redeemed once, whether its answer arrived or not. */
  recordLostAnswer(): Promise<void> {
    return Promise.resolve();
  }

  private shownBy(by: GrantedBy): Awaitable<FoundStream<Authorization> | undefined> {
    const { grants, handles } = this.secrets;
    if ('kind' in by) return grants.find(this.authorizations, by.hash);
    const ofCode = by.code === undefined ? undefined : this.secrets.readCode(by.code);
    if (ofCode) return handles.find(this.authorizations, ofCode.handleHash);
    const ofToken = by.refreshToken === undefined ? undefined : this.secrets.readRefreshToken(by.refreshToken);
    return ofToken && grants.find(this.authorizations, ofToken);
  }
}

function grantOf({ authorizationId, configurationIds, identifiersGiven, offerId }: Authorization, now: Date): Grant {
  return {
    authorizationId,
    ...(offerId !== undefined && { acceptedOfferId: offerId }),
    configurationIds,
    identifiersGiven,
    credentials: credentialsOfAuthorization(authorizationId, configurationIds),
    data: 'authorization',
    now,
  };
}

/** RFC 7636 §4.1. */
function isVerifier(text: string | undefined): text is string {
  return text !== undefined && /^[\w.~-]{43,128}$/u.test(text);
}

function errorOf(refusal: CodeRefusal | 'offer-not-open'): OAuthError {
  switch (refusal) {
    case 'other-key':
      return new OAuthError(
        'invalid_dpop_proof',
        'The code is bound to another key: sign the DPoP proof with the key that the authorization request named.',
        { reason: refusal },
      );
    case 'wrong-verifier':
      return new OAuthError(
        'invalid_grant',
        'code_verifier is missing or is not the one that code_challenge was made from.',
        { reason: refusal },
      );
    case 'scope-wider':
      return new OAuthError(
        'invalid_authorization_details',
        'authorization_details names a credential configuration that the person was not asked for.',
        { reason: refusal },
      );
    case 'other-redirect-uri':
      return new OAuthError('invalid_grant', 'redirect_uri must be the one of the authorization request.', {
        reason: refusal,
      });
    case 'other-client':
    case 'other-wallet':
      return new OAuthError('invalid_grant', 'The code was given to another client.', { reason: refusal });
    case 'offer-not-open':
      return new OAuthError('invalid_grant', 'The credential offer was used, withdrawn or has expired meanwhile.', {
        reason: 'not-open',
      });
    case 'code-expired':
    case 'code-used':
    case 'unknown-code':
      // One answer for a code that never was, has expired or was used.
      return new OAuthError('invalid_grant', 'The code is unknown, expired or used.', { reason: refusal });
  }
}
