import type { Denial, Grant, GrantKind, GrantName } from '@app/offers';
import { OAuthError, type RefusedStep, type TokenRequest } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import type { AccessToken } from '../wallet-tokens';
import { AuthorizationCodeGrant } from './authorization-code.grant';
import type { GrantedBy, GrantType, NewGrant, Requester } from './grant-type';
import { PreAuthorizedCodeGrant } from './pre-authorized-code.grant';
import { RefreshTokenGrant } from './refresh-token.grant';

/** The grant types of this service; a token request chooses one by `grant_type`, a token by the name in it. */
@Injectable()
export class GrantTypes {
  private readonly types: Readonly<Record<GrantKind, Omit<GrantType, 'redeem'>>>;

  constructor(
    private readonly preAuthorizedCode: PreAuthorizedCodeGrant,
    private readonly authorizationCode: AuthorizationCodeGrant,
    private readonly refreshToken: RefreshTokenGrant,
  ) {
    this.types = { 'pre-authorized_code': preAuthorizedCode, authorization_code: authorizationCode };
  }

  /** Throws `OAuthError`. */
  redeem(request: TokenRequest, by: Requester): Promise<NewGrant> {
    switch (request.grant) {
      case 'pre-authorized_code':
        return this.preAuthorizedCode.redeem(request, by);
      case 'authorization_code':
        return this.authorizationCode.redeem(request, by);
      case 'refresh_token':
        return this.refreshToken.redeem(request, by);
    }
  }

  /** What the bearer of a token may be issued, by the clock of the database. Throws `OAuthError`. */
  grantOf({ grant: name, covers, expiresAt }: AccessToken): Awaitable<Grant> {
    return whenThere(this.types[name.kind].find(name), (grant) => {
      if (!grant || grant.now >= expiresAt) {
        throw new OAuthError('invalid_token', 'The access token has expired.', { reason: 'token-expired' });
      }
      if (!covers) return grant;
      return { ...grant, configurationIds: grant.configurationIds.filter((_, place) => covers.includes(place)) };
    });
  }

  /** As `AwaitGrantedCredential`. */
  awaitCredential(
    { kind }: GrantName,
    grant: Grant,
    configurationId: string,
    credentialId: string,
  ): Promise<string | undefined> {
    return this.types[kind].awaitCredential(grant, configurationId, credentialId);
  }

  recordDenials(name: GrantName, denials: readonly Denial[]): Promise<void> {
    return this.types[name.kind].recordDenials(name, denials);
  }

  async noteRefusal(by: GrantedBy, refusal: RefusedStep): Promise<void> {
    const types = 'kind' in by ? [this.types[by.kind]] : Object.values(this.types);
    await Promise.all(types.map((type) => type.noteRefusal(by, refusal)));
  }

  recordLostAnswer(name: GrantName): Promise<void> {
    return this.types[name.kind].recordLostAnswer(name);
  }
}
