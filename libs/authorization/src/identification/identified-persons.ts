import type { JsonObject } from '@app/primitives/json';
import { NoteUnexpectedPerson, type OfferForAuthorization } from '@app/offers';
import { FindCredentialConfiguration, type Identification, membersNeeded } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { AuthorizationRequests } from '../authorization-requests';
import { type Identifying, WaysToIdentify } from '../authorize/identification';
import type { AuthorizationPage } from '../authorize/identification-method';
import { mismatchReasons, UnexpectedPerson } from './identification-failure';
import { claimsAsked, identifyingClaims, keptClaims, matchOf } from './known-claims';

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
   * Keeps of the claims what the credentials need. Afterwards the page goes on, or says that the request has ended. Throws
   * `UnexpectedPerson` when the offer is for somebody else.
   */
  async accept(
    { authorization, session }: AuthorizationPage,
    source: Identification,
    claims: JsonObject,
  ): Promise<void> {
    const { authorizationId, configurationIds } = authorization;
    const way = await this.ways.of(authorization);
    // One method is never taken for another: the page shows what is to be done.
    if (!('method' in way) || way.method !== source) return;
    if (way.offer) await this.assertExpected(way.offer, claims);
    const kept = await this.kept(claims, configurationIds, way);
    await this.requests.identify(authorizationId, session.name, source, kept);
  }

  private async assertExpected({ offerId, subject }: OfferForAuthorization, claims: JsonObject): Promise<void> {
    if (subject === 'anyone') return;
    const match = subject === 'nobody' ? 'unexpected' : matchOf(subject, claims);
    if (match === 'expected') return;
    const refusal = {
      endpoint: 'authorization',
      error: 'access_denied',
      reason: mismatchReasons[match],
      description:
        match === 'unproven' && subject !== 'nobody'
          ? `What was found out of the person has no ${subject.claim}, by which the expected one is known; the offer is still open.`
          : 'The person who was identified is not the expected one; the offer is still open.',
    } as const;
    await this.commands.execute(new NoteUnexpectedPerson(offerId, refusal));
    throw new UnexpectedPerson(match, refusal);
  }

  /** Of a presentation all that the template asks for, which it can also be asked for to find the data elsewhere. */
  private async kept(
    claims: JsonObject,
    configurationIds: readonly string[],
    { method, presentation }: Identifying,
  ): Promise<JsonObject> {
    if (method === 'development') return claims;
    if (presentation) return claimsAsked(presentation.query, claims);
    const found = await Promise.all(
      configurationIds.map((id) => this.queries.execute(new FindCredentialConfiguration(id))),
    );
    const needed = found.flatMap((one) => (one?.claimSources ? [...membersNeeded(one.claimSources, 'login')] : []));
    return keptClaims(claims, new Set([...identifyingClaims, ...needed]));
  }
}
