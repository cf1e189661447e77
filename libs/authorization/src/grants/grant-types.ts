import type { Denial, Grant, GrantKind, GrantName } from '@app/grants';
import { OAuthError, type Refusal, type TokenRequest } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import type { AccessToken } from '../wallet-tokens';
import type { GrantedBy, GrantType, NewGrant } from './grant-type';
import { PreAuthorizedCodeGrant } from './pre-authorized-code.grant';

/** The grant types of this service; a token request chooses one by `grant_type`, a token by the name in it. */
@Injectable()
export class GrantTypes {
  private readonly types: Readonly<Record<GrantKind, GrantType>>;

  constructor(preAuthorizedCode: PreAuthorizedCodeGrant) {
    this.types = { 'pre-authorized_code': preAuthorizedCode };
  }

  /** Throws `OAuthError`. @param address of the caller */
  redeem(request: TokenRequest, address: string): Promise<NewGrant> {
    return this.types[request.grant].redeem(request, address);
  }

  /** What the bearer of a token may be issued, by the clock of the database. Throws `OAuthError`. */
  async grantOf({ grant: name, expiresAt }: AccessToken): Promise<Grant> {
    const grant = await this.types[name.kind].find(name);
    if (!grant || grant.now >= expiresAt) {
      throw new OAuthError('invalid_token', 'The access token has expired.', { reason: 'token-expired' });
    }
    return grant;
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

  async noteRefusal(by: GrantedBy, refusal: Refusal): Promise<void> {
    const types = 'kind' in by ? [this.types[by.kind]] : Object.values(this.types);
    await Promise.all(types.map((type) => type.noteRefusal(by, refusal)));
  }

  recordLostAnswer(name: GrantName): Promise<void> {
    return this.types[name.kind].recordLostAnswer(name);
  }
}
