import { type AccessToken, FindGrant, FindPerson, ReportDenials } from '@app/authorization';
import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import {
  type AuthorizedData,
  constantClaimsOrReason,
  type Denial,
  type DenialReason,
  type Grant,
  type GrantName,
} from '@app/grants';
import type { JsonObject } from '@app/json';
import { dataOriginOf, type IssuableConfiguration, MapClaims } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from './credential';
import { CredentialDenied } from './credential-denied';
import type { CredentialPlace } from './credential-input';
import { PrepareCredential } from './credentials.handlers';

const day = 24 * 60 * 60 * 1000;

/** The credentials that the bearer of an access token may be issued. */
@Injectable()
export class GrantedCredentials {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly settings: Settings,
  ) {}

  /** By the clock of the database. Throws `OAuthError`. */
  grantOf(token: AccessToken): Promise<Grant> {
    return this.queries.execute(new FindGrant(token));
  }

  /**
   * The id of the credential at this place of a grant; it is prepared now where its data is known. `undefined` when the wallet
   * has to wait for its data. Throws `CredentialDenied`.
   */
  async credentialOf(grant: Grant, index: number, configuration: IssuableConfiguration): Promise<string | undefined> {
    const { credentialId } = grant.credentials[index] ?? {};
    if (grant.data === 'authorization') return this.credentialOfAuthorization(grant, credentialId, configuration);
    if (credentialId !== undefined) return credentialId;
    switch (grant.data) {
      case 'submitted':
        throw denied(configuration, 'credential-missing');
      case 'deferred':
        return undefined;
      case 'constant':
        return this.prepareConstant(grant.offerId, configuration);
    }
  }

  /** Until when the portal may submit data that is missing. */
  submittableUntil(grant: Grant, token: AccessToken): Date {
    if (grant.data !== 'authorization') return token.submittableUntil;
    // The wallet asks again with other tokens of the same authorization.
    return new Date(grant.now.getTime() + this.settings.issuance.deferralDays * day);
  }

  recordDenials(name: GrantName, denials: readonly Denial[]): Promise<void> {
    return this.commands.execute(new ReportDenials(name, denials));
  }

  /** The credential of a public offer's claim. Throws `CredentialDenied` when the template has changed so that claims are open. */
  private async prepareConstant(offerId: string, configuration: IssuableConfiguration): Promise<string> {
    const claims = await constantClaimsOrReason(configuration);
    if (typeof claims === 'string') throw denied(configuration, claims);
    return this.prepare({ offerId }, configuration, claims);
  }

  /** One that a wallet has asked for by itself. Throws `CredentialDenied`. */
  private async credentialOfAuthorization(
    { authorizationId }: AuthorizedData,
    credentialId: string | undefined,
    configuration: IssuableConfiguration,
  ): Promise<string | undefined> {
    if (credentialId === undefined) throw new Error('an authorization without the ids of its credentials');
    const { state } = await this.credentials.load(credentialId);
    if (state) return credentialId;
    const origin = dataOriginOf(configuration, this.settings.profile);
    switch (origin) {
      case 'provided':
        throw denied(configuration, 'credential-missing');
      case 'webhook':
        return undefined;
      case 'mapped':
      case 'development': {
        const claims = await this.claimsOfPerson(authorizationId, configuration);
        return this.prepare({ authorizationId, credentialId }, configuration, claims);
      }
    }
  }

  /** They were checked before the consent; the template may have changed since. Throws `CredentialDenied`. */
  private async claimsOfPerson(authorizationId: string, configuration: IssuableConfiguration): Promise<JsonObject> {
    const person = await this.queries.execute(new FindPerson(authorizationId));
    if (!person) throw denied(configuration, 'credential-erased');
    const mapped = await this.queries.execute(new MapClaims(configuration.id, person));
    switch (mapped.outcome) {
      case 'mapped':
        return mapped.claims;
      case 'later':
        throw denied(configuration, 'credential-missing');
      case 'refused':
        throw denied(configuration, 'claims-open');
    }
  }

  private async prepare(
    place: CredentialPlace,
    { id, templateId }: IssuableConfiguration,
    claims: JsonObject,
  ): Promise<string> {
    const named = templateId === undefined ? { configurationId: id } : { templateId };
    const input = { place, named, credential: { credentialSubject: claims } };
    const { credential } = await this.commands.execute(new PrepareCredential(input));
    return credential.credentialId;
  }
}

function denied({ id }: IssuableConfiguration, reason: DenialReason): CredentialDenied {
  return new CredentialDenied([{ configurationId: id, reason }]);
}
