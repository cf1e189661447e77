import { OAuthError, type RefreshTokenRequest, type TokenRequest } from '@app/openid4vc';
import type { Grant } from '@app/offers';
import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { FindRevoked } from '../api';
import { type Authorization, type AuthorizationEvent, type Authorizations, AUTHORIZATIONS } from '../authorization';
import { type RefreshRefusal, refreshToken } from '../authorization-decisions';
import { AuthorizationSecrets } from '../authorization-secrets';
import { unnamedClient } from '../clients/client-faults';
import { CodeTokens } from './code-tokens';
import type { NewGrant, Requester } from './grant-type';
import { OfferedGrant } from './offered-grant';

type Request = TokenRequest & RefreshTokenRequest;
type Outcome =
  | { readonly refusal: RefreshRefusal | 'not-issued' | 'revoked' }
  | { readonly authorization: Authorization; readonly configurationIds: readonly string[]; readonly now: Date };

/** Gives the wallet that redeemed a code another access token (RFC 6749 §6). */
@Injectable()
export class RefreshTokenGrant {
  constructor(
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly secrets: AuthorizationSecrets,
    private readonly tokens: CodeTokens,
    private readonly offered: OfferedGrant,
    private readonly queries: QueryBus,
  ) {}

  /** Throws `OAuthError`. */
  async redeem(request: Request, by: Requester): Promise<NewGrant> {
    const { client, key } = by;
    if (!client) throw unnamedClient();
    const hash = this.secrets.readRefreshToken(request.refreshToken);
    if (!hash) throw errorOf('unknown');
    const outcome = await this.secrets.grants.update<Authorization, AuthorizationEvent, Outcome>(
      this.authorizations,
      hash,
      async ({ state, now }) => {
        const grant = await this.offered.find(state);
        if (!grant) return { events: [], result: { refusal: 'grant-ended' } };
        const wanted = await this.coverageOf(request, state);
        if (wanted.length === 0) return { events: [], result: { refusal: 'not-issued' } };
        const revoked = await this.queries.execute(new FindRevoked(originOf(state, grant)));
        const configurationIds = wanted.filter((id) => !revoked.includes(id));
        if (configurationIds.length === 0) return { events: [], result: { refusal: 'revoked' } };
        const isNarrowed = configurationIds.length < state.configurationIds.length;
        const { events, refusal } = refreshToken(state, {
          clientId: client.clientId,
          isAuthenticated: client.method !== 'none',
          instanceKey: this.secrets.nameOfKey(state, client.instanceThumbprint),
          dpopKey: this.secrets.nameOfKey(state, key?.thumbprint),
          configurationIds: isNarrowed ? configurationIds : undefined,
          tokenEndsAt: this.tokens.endOfToken(now),
          now,
        });
        if (refusal) return { events, result: { refusal } };
        const consume = [...client.uses, ...(key?.uses ?? [])];
        return { events, consume, result: { authorization: state, configurationIds, now } };
      },
    );
    if (!outcome) throw errorOf('unknown');
    if ('refusal' in outcome) throw errorOf(outcome.refusal);
    // There is no rotation: a stolen refresh token is of no use without the wallet's key (FAPI 2.0 Security Profile §5.3.2.1).
    return this.tokens.newGrant(outcome.authorization, outcome, request.refreshToken);
  }

  /** What the new token is to cover. Throws `OAuthError` invalid_scope for a scope that the person did not agree to. */
  private async coverageOf(
    { scopes, requestedConfigurationIds: requested }: Request,
    { configurationIds }: Authorization,
  ): Promise<readonly string[]> {
    const granted = await this.tokens.scopesOf(configurationIds);
    if (!scopes && !requested) return configurationIds.filter((id) => [...granted.values()].flat().includes(id));
    if (scopes?.some((scope) => !granted.has(scope)) || requested?.some((id) => !configurationIds.includes(id))) {
      throw errorOf('scope-wider');
    }
    const wanted = new Set([...(scopes ?? []).flatMap((scope) => granted.get(scope) ?? []), ...(requested ?? [])]);
    return configurationIds.filter((id) => wanted.has(id));
  }
}

/** Where the credentials are that an authorization gave. */
function originOf({ authorizationId }: Authorization, grant: Grant | 'authorization'): FindRevoked['of'] {
  if (grant === 'authorization') return { authorizationId };
  return { credentialIds: grant.credentials.flatMap(({ credentialId }) => credentialId ?? []) };
}

function errorOf(refusal: RefreshRefusal | 'not-issued' | 'revoked' | 'unknown'): OAuthError {
  switch (refusal) {
    case 'other-key':
      return new OAuthError(
        'invalid_dpop_proof',
        'The refresh token is bound to a key: send a DPoP proof that is signed with it.',
        { reason: refusal },
      );
    case 'scope-wider':
      return new OAuthError(
        'invalid_scope',
        'scope and authorization_details must name what was granted, or less: for more, the person has to be asked again.',
        { reason: refusal },
      );
    case 'other-client':
    case 'other-wallet':
      return new OAuthError('invalid_grant', 'The refresh token was given to another client.', { reason: refusal });
    case 'not-issued':
      return new OAuthError('invalid_grant', 'The credentials of this authorization are no longer issued.', {
        reason: refusal,
      });
    case 'revoked':
      return new OAuthError('invalid_grant', 'The credentials of this authorization have been revoked.', {
        reason: 'credential-revoked',
      });
    case 'unknown':
    case 'grant-ended':
      // One answer for a token that never was, has expired or was revoked.
      return new OAuthError('invalid_grant', 'The refresh token is unknown, expired or revoked.', {
        reason: refusal === 'unknown' ? 'unknown-refresh-token' : refusal,
      });
  }
}
