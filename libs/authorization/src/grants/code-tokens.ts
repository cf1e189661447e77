import { Settings } from '@app/config';
import { FindCredentialConfiguration } from '@app/templates';
import { plusDuration } from '@app/primitives/time';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Authorization } from '../authorization';
import { AuthorizationSecrets } from '../authorization-secrets';
import { WalletTokens } from '../wallet-tokens';
import type { NewGrant, Requester } from './grant-type';

/** What an authorization gives a token for. */
export interface TokenCoverage {
  /** Of the authorization, or fewer. */
  readonly configurationIds: readonly string[];
  readonly now: Date;
}

/** The tokens of an authorization whose code was redeemed. */
@Injectable()
export class CodeTokens {
  constructor(
    private readonly queries: QueryBus,
    private readonly settings: Settings,
    private readonly secrets: AuthorizationSecrets,
    private readonly tokens: WalletTokens,
  ) {}

  /** When the last token of an authorization that is redeemed now will end. */
  endOfGrant(by: Requester, now: Date): Date {
    const { refreshTokenLifetime } = this.settings.authorization;
    const isRefreshed = isBound(by) && refreshTokenLifetime !== 'none';
    return this.endOfToken(isRefreshed ? plusDuration(now, refreshTokenLifetime) : now);
  }

  /** When an access token ends that is given out now. */
  endOfToken(now: Date): Date {
    return new Date(now.getTime() + this.tokens.lifetimeOfAccess(false) * 1000);
  }

  async newGrant(
    authorization: Authorization,
    { configurationIds, now }: TokenCoverage,
    refreshToken: string | undefined,
  ): Promise<NewGrant> {
    const { configurationIds: all, identifiersGiven } = authorization;
    const scopes = await this.scopesOf(configurationIds);
    return {
      name: { kind: 'authorization_code', hash: this.secrets.grants.hashOf(authorization) },
      configurationIds,
      identifiersGiven,
      ...(configurationIds.length < all.length && { covers: configurationIds.map((id) => all.indexOf(id)) }),
      ...(scopes.size > 0 && { scope: [...scopes.keys()].join(' ') }),
      ...(refreshToken !== undefined && { refreshToken }),
      isDeferred: false,
      grantedAt: now,
      now,
    };
  }

  /** The scopes of the configurations that are issued now, each with its configurations. */
  async scopesOf(configurationIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const scopes = new Map<string, string[]>();
    for (const id of configurationIds) {
      const configuration = await this.queries.execute(new FindCredentialConfiguration(id));
      if (configuration) scopes.set(configuration.scope, [...(scopes.get(configuration.scope) ?? []), id]);
    }
    return scopes;
  }

  /** The refresh token of a grant; a public client without a key gets none, because whoever took it could use it. */
  refreshTokenFor(by: Requester, authorization: Authorization, endsAt: Date): string | undefined {
    if (!isBound(by) || this.settings.authorization.refreshTokenLifetime === 'none') return undefined;
    return this.secrets.refreshToken(this.secrets.grants.hashOf(authorization), endsAt);
  }
}

function isBound({ client, key }: Requester): boolean {
  return key !== undefined || (client !== undefined && client.method !== 'none');
}
