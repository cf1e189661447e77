import { type PageQuery, assertConditions, type Conditions } from '@app/http';
import { EventStore, type Page, type StoredEvent, type TimeRange } from '@app/event-store';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Authorization, type AuthorizationEvent, type Authorizations, AUTHORIZATIONS } from '../authorization';
import { revokeAuthorization } from '../authorization-decisions';
import { withErasure } from '../person-erasure';
import { HeldAuthorizationRefusals } from '../refused-wallets';
import { type AuthorizationStatus, authorizationsStoredAs } from './authorization-status';

export interface AuthorizationView {
  readonly authorization: Authorization;
  readonly history: readonly StoredEvent<AuthorizationEvent>[];
  readonly version: number;
  readonly now: Date;
  readonly createdAt: Date;
}

export interface AuthorizationFilters {
  readonly status: AuthorizationStatus | undefined;
  readonly offerId: string | undefined;
  readonly clientId: string | undefined;
  readonly created: TimeRange | undefined;
}

/** All of them by creation, the newest first; those with one status by the time until which the person could agree. */
export class ListAuthorizations extends Query<Page<Authorization>> {
  constructor(
    readonly page: PageQuery,
    readonly filters: AuthorizationFilters,
  ) {
    super();
  }
}

/** Throws `not-found`. */
export class GetAuthorization extends Query<AuthorizationView> {
  constructor(readonly authorizationId: string) {
    super();
  }
}

/** Voids its code and tokens; nothing happens to one that was refused or revoked. Throws `not-found`, `version-conflict`. */
export class RevokeAuthorization extends Command<void> {
  constructor(
    readonly authorizationId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

@QueryHandler(ListAuthorizations)
export class ListAuthorizationsHandler implements IQueryHandler<ListAuthorizations> {
  constructor(@Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations) {}

  execute({ page, filters: { status, offerId, clientId, created } }: ListAuthorizations): Promise<Page<Authorization>> {
    const client = clientId === undefined ? {} : { clientId };
    if (status === undefined)
      return this.authorizations.list({ ...page, where: given(client), parent: offerId, created });
    const where = given({ ...client, ...(offerId !== undefined && { offerId }) });
    return this.authorizations.listInStates({ ...page, ...authorizationsStoredAs(status), where, created });
  }
}

@QueryHandler(GetAuthorization)
export class GetAuthorizationHandler implements IQueryHandler<GetAuthorization> {
  constructor(
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly refused: HeldAuthorizationRefusals,
  ) {}

  async execute({ authorizationId }: GetAuthorization): Promise<AuthorizationView> {
    await this.refused.settle(authorizationId);
    const loaded = await this.authorizations.loadWithEvents(authorizationId);
    const { state, version, now, createdAt = now, events: history } = loaded;
    return { authorization: existing(state, authorizationId), history, version, now, createdAt };
  }
}

@CommandHandler(RevokeAuthorization)
export class RevokeAuthorizationHandler implements ICommandHandler<RevokeAuthorization> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly refused: HeldAuthorizationRefusals,
  ) {}

  async execute({ authorizationId, conditions }: RevokeAuthorization): Promise<void> {
    await this.refused.settle(authorizationId);
    await this.authorizations.update(authorizationId, async ({ state, version, now }) => {
      const authorization = existing(state, authorizationId);
      assertConditions(conditions, version);
      const revoked = { events: revokeAuthorization(authorization, 'portal', now) };
      return (await withErasure(this.store, authorizationId, revoked)).events;
    });
  }
}

function given(where: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  return Object.keys(where).length === 0 ? undefined : where;
}

function existing(authorization: Authorization | undefined, authorizationId: string): Authorization {
  if (!authorization) throw new Problem('not-found', `There is no authorization with the id ${authorizationId}.`);
  return authorization;
}
