import { FindOfferByIssuerState, type LinkedOffer, type OfferForAuthorization } from '@app/offers';
import { OAuthError, type PushedAuthorizationRequest } from '@app/openid4vc';
import { ConfigurationsOfScope, FindCredentialConfiguration } from '@app/templates';
import { allThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { mostConfigurations } from './wallet-tokens';

/** What a client asks for, of what there is. */
export interface Asked {
  /** At least one, each once. */
  readonly configurationIds: readonly string[];
  readonly offer?: LinkedOffer;
}

/** Finds the credentials that a pushed authorization request is about. */
@Injectable()
export class AskedConfigurations {
  constructor(private readonly queries: QueryBus) {}

  /** Scope and `authorization_details` together (OpenID4VCI 1.0 §5.1.2). Throws `OAuthError`. */
  async of(pushed: PushedAuthorizationRequest): Promise<Asked> {
    const { scopes, configurationIds: detailed = [], issuerState } = pushed;
    if (detailed.length > 0) await Promise.all(detailed.map((id) => this.assertKnown(id)));
    const offer = issuerState === undefined ? undefined : await this.offerOf(issuerState);
    if (offer && !detailed.every((id) => offer.configurationIds.includes(id))) throw notOffered();
    const ofScopes = await allThere(scopes.map((scope) => this.ofScope(scope, offer)));
    const configurationIds = [...new Set([...detailed, ...ofScopes.flat()])];
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
    return { configurationIds, ...(offer && { offer }) };
  }

  /** Configurations may share a scope: with an offer those are meant that it promises. */
  private ofScope(scope: string, offer: OfferForAuthorization | undefined): Promise<readonly string[]> {
    return this.queries.execute(new ConfigurationsOfScope([scope])).then((known) => {
      if (!offer || known.length === 0) return known;
      const offered = known.filter((id) => offer.configurationIds.includes(id));
      if (offered.length === 0) throw notOffered();
      return offered;
    });
  }

  private offerOf(issuerState: string): Promise<OfferForAuthorization> {
    return this.queries.execute(new FindOfferByIssuerState(issuerState)).then((offer) => {
      if (offer) return offer;
      throw new OAuthError('invalid_request', 'issuer_state names no open offer; it may have expired or been used.', {
        reason: 'not-open',
      });
    });
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

function notOffered(): OAuthError {
  return new OAuthError(
    'invalid_request',
    'The request is for a credential that is not part of the offer that issuer_state names.',
    { reason: 'configuration-not-offered' },
  );
}
