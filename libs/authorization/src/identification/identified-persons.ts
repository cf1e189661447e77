import type { JsonObject } from '@app/json';
import { NoteUnexpectedPerson, type OfferForAuthorization } from '@app/offers';
import { FindCredentialConfiguration, type Identification, membersNeeded } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { RefusalCause } from '../authorization';
import { AuthorizationRequests } from '../authorization-requests';
import { WaysToIdentify } from '../authorize/identification';
import type { AuthorizationPage } from '../authorize/identification-method';
import { isExpected, keptClaims } from './known-claims';

/** Takes in who the person of an authorization is, by whichever method that was found out. */
@Injectable()
export class IdentifiedPersons {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly ways: WaysToIdentify,
    private readonly queries: QueryBus,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Keeps of the claims what the credentials need.
   * @returns why the request ends; `undefined` when the person is known now, or the page says that it has ended
   */
  async accept(
    { authorization, session }: AuthorizationPage,
    source: Identification,
    claims: JsonObject,
  ): Promise<RefusalCause | undefined> {
    const { authorizationId, configurationIds } = authorization;
    const way = await this.ways.of(authorization);
    // One method is never taken for another: the page shows what is to be done.
    if (!('method' in way) || way.method !== source) return undefined;
    if (way.offer && !(await this.isFor(way.offer, claims))) return { reason: 'unexpected-person' };
    const kept = source === 'development' ? claims : keptClaims(claims, await this.needed(configurationIds, source));
    await this.requests.identify(authorizationId, session.name, source, kept);
    return undefined;
  }

  private async isFor({ offerId, subject }: OfferForAuthorization, claims: JsonObject): Promise<boolean> {
    if (subject === 'anyone' || (subject !== 'nobody' && isExpected(subject, claims))) return true;
    await this.commands.execute(new NoteUnexpectedPerson(offerId));
    return false;
  }

  private async needed(configurationIds: readonly string[], source: Identification): Promise<Set<string>> {
    const found = await Promise.all(
      configurationIds.map((id) => this.queries.execute(new FindCredentialConfiguration(id))),
    );
    const name = source === 'presentation' ? 'presentation' : 'login';
    return new Set(found.flatMap((one) => (one?.claimSources ? [...membersNeeded(one.claimSources, name)] : [])));
  }
}
