import { FindGrant, ReportDenials, type AccessToken } from '@app/authorization';
import { constantClaimsOrReason, type Denial, type Grant, type GrantName } from '@app/grants';
import type { IssuableConfiguration } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { CredentialDenied } from './credential-denied';
import { PrepareCredential } from './credentials.handlers';

/** The credentials that the bearer of an access token may be issued. */
@Injectable()
export class GrantedCredentials {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** By the clock of the database. Throws `OAuthError`. */
  grantOf(token: AccessToken): Promise<Grant> {
    return this.queries.execute(new FindGrant(token));
  }

  /**
   * The id of the credential at this place of a grant; it is prepared now where its data is known. `undefined` when the wallet
   * has to wait for its data. Throws `CredentialDenied`.
   */
  async credentialOf(
    { offerId, credentials, data }: Grant,
    index: number,
    configuration: IssuableConfiguration,
  ): Promise<string | undefined> {
    const { credentialId } = credentials[index] ?? {};
    if (credentialId !== undefined) return credentialId;
    switch (data) {
      case 'submitted':
        throw new CredentialDenied([{ configurationId: configuration.id, reason: 'credential-missing' }]);
      case 'deferred':
        return undefined;
      case 'constant':
        return this.prepareConstant(offerId, configuration);
    }
  }

  recordDenials(name: GrantName, denials: readonly Denial[]): Promise<void> {
    return this.commands.execute(new ReportDenials(name, denials));
  }

  /** The credential of a public offer's claim. Throws `CredentialDenied` when the template has changed so that claims are open. */
  private async prepareConstant(offerId: string, configuration: IssuableConfiguration): Promise<string> {
    const { id, templateId } = configuration;
    const claims = await constantClaimsOrReason(configuration);
    if (typeof claims === 'string') throw new CredentialDenied([{ configurationId: id, reason: claims }]);
    const named = templateId === undefined ? { configurationId: id } : { templateId };
    const input = { offerId, named, credential: { credentialSubject: claims } };
    const { credential } = await this.commands.execute(new PrepareCredential(input));
    return credential.credentialId;
  }
}
