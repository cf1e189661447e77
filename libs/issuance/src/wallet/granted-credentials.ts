import {
  type AccessToken,
  ErasePerson,
  FindGrant,
  type PlaceInGrant,
  ReportDenials,
  UseProofs,
} from '@app/authorization';
import type { Repository } from '@app/event-store';
import { constantClaimsOrReason, type Denial, type Grant, type GrantName, originOf } from '@app/offers';
import type { IssuableConfiguration } from '@app/templates';
import type { Awaitable } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { types } from 'node:util';
import { AuthorizedCredentials } from './authorized-credentials';
import { AuthorizedGrants, authorizedId, firstId, refreshedAtOf, refreshedId } from './authorized-grants';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import type { AskingAgain } from '../credential/credential-copies';
import { CredentialDenied } from '../credential/credential-denied';
import { namedBy } from '../content/credential-input';
import { PrepareCredential } from '../api';

/** The credentials that the bearer of an access token may be issued. */
@Injectable()
export class GrantedCredentials {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly authorizations: AuthorizedGrants,
    private readonly authorized: AuthorizedCredentials,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
  ) {}

  /**
   * With the credentials that the first token gave. By the clock of the database. The proof that came with the token is used up with
   * the caller's unit of work, or now when there is none. Throws `OAuthError`.
   */
  grantOf(token: AccessToken): Promise<Grant> {
    const found = this.queries.execute(new FindGrant(token));
    const { uses } = token;
    return uses ? found.then((grant) => this.commands.execute(new UseProofs(uses)).then(() => grant)) : found;
  }

  /** With the credentials that this very token gives. Throws `OAuthError`. */
  grantBy(token: AccessToken): Promise<Grant> {
    return this.grantOf(token).then((grant): Awaitable<Grant> =>
      grant.data === 'authorization' ? this.authorizations.asOf(token, grant) : grant,
    );
  }

  /** By which the wallet asks again for the credential at this place of a grant. */
  placeOf(grant: Grant, index: number): PlaceInGrant {
    const { credentialId = '' } = grant.credentials[index] ?? {};
    const refreshedAt = grant.data === 'authorization' ? refreshedAtOf(credentialId) : undefined;
    return { index, ...(refreshedAt && { refreshedAt }) };
  }

  /** With the credential for which the wallet waits, by whichever token of the grant. Throws `OAuthError`. */
  async grantAwaiting(token: AccessToken, { index, refreshedAt }: Partial<PlaceInGrant>): Promise<Grant> {
    const grant = await this.grantOf(token);
    if (!refreshedAt) return grant;
    const credentials = grant.credentials.map((granted, place) =>
      place === index && granted.credentialId !== undefined
        ? { ...granted, credentialId: refreshedId(granted.credentialId, refreshedAt) }
        : granted,
    );
    return { ...grant, credentials };
  }

  /**
   * The id of the credential at this place of a grant; it is prepared now where its data is known. `undefined` when the wallet
   * has to wait for its data. Throws `CredentialDenied`.
   */
  credentialOf(grant: Grant, index: number, configuration: IssuableConfiguration): Awaitable<string | undefined> {
    if (grant.data === 'authorization') {
      return this.authorized.prepared({ ...grant, credentialId: authorizedId(grant, configuration), configuration });
    }
    const { credentialId } = grant.credentials[index] ?? {};
    if (credentialId !== undefined) return credentialId;
    switch (grant.data) {
      case 'submitted':
        throw CredentialDenied.of(configuration, 'credential-missing');
      case 'deferred':
        return undefined;
      case 'constant':
        return this.prepareConstant(grant.offerId, configuration);
    }
  }

  /**
   * Looks for the data of a credential that its wallet waits for; not within a unit of work.
   * @returns whether the credential is to be looked at again. Throws `CredentialDenied`
   */
  provide(grant: Grant, configuration: IssuableConfiguration): Awaitable<boolean> {
    if (grant.data !== 'authorization') return false;
    return this.authorized.provide({ ...grant, credentialId: authorizedId(grant, configuration), configuration });
  }

  /**
   * Forgets the person who agreed when the last credential of an authorization is out: the wallet can ask for each again. Not while
   * the portal is to be asked again, which is told about the person.
   */
  releasePerson({ kind }: GrantName, grant: Grant): Awaitable<void> {
    return kind === 'authorization_code' ? this.releasePersonOf(grant) : undefined;
  }

  private async releasePersonOf(grant: Grant): Promise<void> {
    // Constant claims say nothing about anyone.
    const told = grant.data === 'constant' ? [] : grant.credentials;
    for (const { credentialId = '' } of told) {
      const loaded = this.credentials.load(credentialId);
      const { state } = types.isPromise(loaded) ? await loaded : loaded;
      if (!state || !('issuedAt' in state)) return;
      const first = firstId(credentialId);
      const decides = first === credentialId ? state : (await this.credentials.load(first)).state;
      if (decides && 'asksAgain' in decides) return;
    }
    // The claim of a public offer has the id of its authorization.
    const of = grant.data === 'constant' ? { authorizationId: grant.offerId } : originOf(grant);
    await this.commands.execute(new ErasePerson(of, 'retention'));
  }

  /** How the wallet may ask for a credential that it has. */
  againBy(token: AccessToken, grant: Grant, configuration: IssuableConfiguration): AskingAgain {
    return this.authorizations.againBy(token, grant, configuration);
  }

  /** Until when the portal may submit data that is missing. */
  submittableUntil(grant: Grant, token: AccessToken): Date {
    const isRefreshed = grant.data === 'authorization' || token.grant.kind === 'authorization_code';
    return isRefreshed ? this.authorizations.submittableUntil(grant.now) : token.submittableUntil;
  }

  recordDenials(name: GrantName, denials: readonly Denial[]): Promise<void> {
    return this.commands.execute(new ReportDenials(name, denials));
  }

  /** The credential of a public offer's claim. Throws `CredentialDenied` when the template has changed so that claims are open. */
  private async prepareConstant(offerId: string, configuration: IssuableConfiguration): Promise<string> {
    const claims = await constantClaimsOrReason(configuration);
    if (typeof claims === 'string') throw CredentialDenied.of(configuration, claims);
    const named = namedBy(configuration.id, configuration.templateId);
    const input = {
      place: { offerId },
      named,
      credential: { credentialSubject: claims },
      isSubjectAlone: true,
    } as const;
    const { credential } = await this.commands.execute(new PrepareCredential(input));
    return credential.credentialId;
  }
}
