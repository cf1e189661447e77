import { OAuthError, type PushedAuthorizationRequest } from '@app/openid4vc';
import { ConfigurationsOfScope, FindCredentialConfiguration } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { mostConfigurations } from './wallet-tokens';

/** What a client asks for, of what there is. */
export interface Asked {
  /** At least one, each once. */
  readonly configurationIds: readonly string[];
  readonly offerId?: string;
}

/** Finds the credentials that a pushed authorization request is about. */
@Injectable()
export class AskedConfigurations {
  constructor(private readonly queries: QueryBus) {}

  /** Scope and `authorization_details` together (OpenID4VCI 1.0 §5.1.2). Throws `OAuthError`. */
  async of({ scopes, configurationIds: detailed = [] }: PushedAuthorizationRequest): Promise<Asked> {
    await Promise.all(detailed.map((id) => this.assertKnown(id)));
    const ofScopes = scopes.length === 0 ? [] : await this.queries.execute(new ConfigurationsOfScope(scopes));
    const configurationIds = [...new Set([...detailed, ...ofScopes])];
    if (configurationIds.length === 0) {
      throw new OAuthError(
        'invalid_scope',
        'No credential has one of these scopes; the metadata of the issuer names them.',
        { reason: 'scope-unknown' },
      );
    }
    if (configurationIds.length > mostConfigurations) {
      throw new OAuthError('invalid_request', `Ask for at most ${mostConfigurations} credentials at once.`, {
        reason: 'configurations-too-many',
      });
    }
    return { configurationIds };
  }

  private async assertKnown(configurationId: string): Promise<void> {
    if (await this.queries.execute(new FindCredentialConfiguration(configurationId))) return;
    throw new OAuthError(
      'invalid_authorization_details',
      'authorization_details names a credential configuration that is not issued here.',
      { reason: 'configuration-unknown' },
    );
  }
}
