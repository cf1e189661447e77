import { FindPerson } from '@app/authorization';
import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import type { AuthorizedData } from '@app/offers';
import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { dataOriginOf, type IdentifiedPerson, type IssuableConfiguration, MapClaims } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { isDeepStrictEqual } from 'node:util';
import { firstId } from './authorized-grants';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { CredentialDenied } from '../credential/credential-denied';
import { type CredentialInput, namedBy } from '../content/credential-input';
import { PrepareCredential } from '../api';
import { GetCredential } from '../management/credentials.handlers';
import { missedBecauseOf, type MissedData } from '../credential/missed-data';
import { type DataAnswer, DataWebhook } from './data-webhook';
import { DenyCredential } from '../management/denial.handlers';

const refusedByPortal = 'The issuer does not issue this credential to you.';

/** A credential that a wallet has asked for by itself. */
interface Authorized extends Pick<AuthorizedData, 'authorizationId' | 'acceptedOfferId'> {
  readonly credentialId: string;
  readonly configuration: IssuableConfiguration;
  /** Its data was approved before. */
  readonly isApproved?: boolean;
}

interface SubmittedData extends Pick<CredentialInput, 'expiresAt' | 'asksAgain'> {
  readonly claims: JsonObject;
}

/** Credentials without an offer: their data comes from what is known of the person, or from the portal when it is asked. */
@Injectable()
export class AuthorizedCredentials {
  /** Questions under way, by credential: a wallet that asks again meanwhile waits for the same answer. */
  private readonly asked = new Map<string, Promise<DataAnswer>>();

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly webhook: DataWebhook,
    private readonly settings: Settings,
  ) {}

  /** Prepares it where that takes no time; `undefined` when its request is to be recorded first. Throws `CredentialDenied`. */
  async prepared(authorized: Authorized): Promise<string | undefined> {
    const { credentialId, configuration } = authorized;
    const { state } = await this.credentials.load(credentialId);
    if (state) return credentialId;
    const first = firstId(credentialId);
    if (first !== credentialId) return this.renewed(authorized, first);
    switch (dataOriginOf(configuration, this.settings.profile)) {
      case 'provided':
        throw CredentialDenied.of(configuration, 'credential-missing');
      case 'webhook':
        return undefined;
      case 'mapped':
      case 'development':
        if (configuration.approval) return undefined;
        await this.submit(authorized, { claims: await this.claimsOfPerson(authorized) });
        return credentialId;
    }
  }

  /**
   * Looks for the data of a credential that its wallet waits for, outside of any unit of work.
   * @returns whether the credential is to be looked at again. Throws `CredentialDenied`
   */
  async provide(authorized: Authorized): Promise<boolean> {
    const { credentialId, configuration } = authorized;
    const { state } = await this.credentials.load(credentialId);
    if (state?.status !== 'Requested') return false;
    switch (dataOriginOf(configuration, this.settings.profile)) {
      case 'provided':
        return false;
      case 'webhook':
        return this.askPortal(authorized);
      case 'mapped':
      case 'development':
        await this.submit(authorized, { claims: await this.claimsOfPerson(authorized) });
        return false;
    }
  }

  /**
   * One more for a refreshed token, with the data of the first unless its portal wants to be asked again; none once one of them was
   * suspended or revoked.
   */
  private async renewed(authorized: Authorized, firstId: string): Promise<string | undefined> {
    const { authorizationId, credentialId, configuration } = authorized;
    const where = { configurationId: configuration.id };
    for (const validity of ['Suspended', 'Revoked']) {
      const query = { parent: authorizationId, where: { ...where, validity }, limit: 1 };
      const { items } = await this.credentials.list(query);
      if (items.length > 0) throw CredentialDenied.of(configuration, 'credential-denied');
    }
    const { credential, content } = await this.queries.execute(new GetCredential(firstId));
    const isByWebhook = dataOriginOf(configuration, this.settings.profile) === 'webhook';
    if (isByWebhook && 'asksAgain' in credential) return undefined;
    if (!content || !('claims' in content)) throw CredentialDenied.of(configuration, 'credential-erased');
    const expiry = 'expiryGiven' in credential ? (credential.expiresAt ?? 'never') : undefined;
    const expiresAt = expiry === undefined || expiry === 'never' ? expiry : new Date(expiry);
    await this.submit({ ...authorized, isApproved: true }, { claims: content.claims, expiresAt });
    return credentialId;
  }

  private async askPortal(authorized: Authorized): Promise<boolean> {
    const { authorizationId, acceptedOfferId: offerId, credentialId, configuration } = authorized;
    const person = await this.personOf(authorized);
    const about = { credentialId, credentialConfigurationId: configuration.id, person };
    const answer = await this.answerTo(credentialId, () =>
      this.webhook.ask({ authorizationId, ...(offerId !== undefined && { offerId }), ...about }),
    );
    switch (answer.outcome) {
      case 'data':
        return this.submitAnswer(authorized, answer);
      case 'later':
        return false;
      case 'refused':
        await this.commands.execute(new DenyCredential(credentialId, answer.reason ?? refusedByPortal, {}));
        return true;
      case 'failed':
        await this.recordMissed(credentialId, { fault: answer.fault });
        return false;
    }
  }

  private async submitAnswer(authorized: Authorized, data: SubmittedData): Promise<boolean> {
    try {
      await this.submit(authorized, data);
      return authorized.configuration.approval === undefined;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // It has been submitted or denied meanwhile.
      if (error.slug === 'conflict') return true;
      await this.recordMissed(authorized.credentialId, missedBecauseOf(error));
      return false;
    }
  }

  private async submit(
    { authorizationId, credentialId, configuration, isApproved = false }: Authorized,
    { claims, expiresAt, asksAgain }: SubmittedData,
  ): Promise<void> {
    const named = namedBy(configuration.id, configuration.templateId);
    const place = { authorizationId, credentialId };
    const credential = { credentialSubject: claims };
    const needsApproval = configuration.approval === 'manual' && !isApproved;
    const again = asksAgain && { asksAgain };
    await this.commands.execute(
      new PrepareCredential({ place, named, credential, isSubjectAlone: true, expiresAt, needsApproval, ...again }),
    );
  }

  private async recordMissed(credentialId: string, missed: MissedData): Promise<void> {
    const events = await this.credentials.events(credentialId);
    const last = events.at(-1)?.event;
    // One that lasts is told once, not each time that the wallet asks.
    if (last && isDeepStrictEqual(last, { type: 'CredentialDataMissed', ...missed })) return;
    await this.credentials.update(credentialId, ({ state }) =>
      state?.status === 'Requested' ? [{ type: 'CredentialDataMissed', ...missed }] : [],
    );
  }

  /** They were checked before the consent; the template may have changed since. Throws `CredentialDenied`. */
  private async claimsOfPerson(authorized: Authorized): Promise<JsonObject> {
    const { configuration } = authorized;
    const mapped = await this.queries.execute(new MapClaims(configuration.id, await this.personOf(authorized)));
    switch (mapped.outcome) {
      case 'mapped':
        return mapped.claims;
      case 'later':
        throw CredentialDenied.of(configuration, 'credential-missing');
      case 'refused':
        throw CredentialDenied.of(configuration, 'claims-open');
    }
  }

  private async personOf({ authorizationId, configuration }: Authorized): Promise<IdentifiedPerson> {
    const person = await this.queries.execute(new FindPerson(authorizationId));
    if (!person) throw CredentialDenied.of(configuration, 'credential-erased');
    return person;
  }

  private async answerTo(credentialId: string, ask: () => Promise<DataAnswer>): Promise<DataAnswer> {
    const underWay = this.asked.get(credentialId);
    if (underWay) return underWay;
    const answer = ask().finally(() => this.asked.delete(credentialId));
    this.asked.set(credentialId, answer);
    return answer;
  }
}
