import { type Answer, Implements, type Input, Resource, timeRange, entityTag, timelineOf, HttpReply } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { authorizationStatus } from './authorization-status';
import { authorizationEvents } from '../authorization-events';
import { authorizations } from './authorizations.contract';
import {
  type AuthorizationView,
  GetAuthorization,
  ListAuthorizations,
  RevokeAuthorization,
} from './management.handlers';

@Resource(authorizations)
export class AuthorizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(authorizations.list)
  async list({ query }: Input<typeof authorizations.list>): Promise<Answer<typeof authorizations.list>> {
    const { page, status, offerId, clientId, createdAfter, createdBefore } = query;
    const created = timeRange(createdAfter, createdBefore);
    const asked = new ListAuthorizations(page, { status, offerId, clientId, created });
    const { items, nextCursor, now } = await this.queries.execute(asked);
    return {
      items: items.map(({ state, createdAt }) => summary({ authorization: state, now, createdAt })),
      nextCursor,
    };
  }

  @Implements(authorizations.get)
  async get({ params: { authorizationId } }: Input<typeof authorizations.get>): Promise<HttpReply> {
    const view = await this.queries.execute(new GetAuthorization(authorizationId));
    const shown = { ...summary(view), timeline: timelineOf(view.history, authorizationEvents) };
    // It expires without an event.
    const tag = entityTag(view.version, authorizationStatus(view.authorization, view.now));
    return new HttpReply(200, shown, { ETag: tag });
  }

  @Implements(authorizations.revoke)
  async revoke({ params: { authorizationId }, conditions }: Input<typeof authorizations.revoke>): Promise<void> {
    await this.commands.execute(new RevokeAuthorization(authorizationId, conditions));
  }
}

function summary({ authorization, now, createdAt }: Omit<AuthorizationView, 'version' | 'history'>) {
  const { authorizationId, clientId, clientName, offerId, configurationIds, completableUntil } = authorization;
  return {
    authorizationId,
    status: authorizationStatus(authorization, now),
    clientId,
    ...(clientName !== undefined && { clientName }),
    ...(offerId !== undefined && { offerId }),
    credentialConfigurationIds: configurationIds,
    createdAt: createdAt.toISOString(),
    expiresAt: completableUntil,
    ...(authorization.status === 'redeemed' && { redeemedAt: authorization.redeemedAt }),
  };
}
