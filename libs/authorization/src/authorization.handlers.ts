import { type ErasureCause, EventStore } from '@app/event-store';
import type { IdentifiedPerson } from '@app/templates';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ErasePerson, FindPerson } from './api';
import { authorizationAggregate, type Authorizations, AUTHORIZATIONS } from './authorization';
import { erasePerson } from './authorization-decisions';
import { AuthorizationRequests } from './authorization-requests';

@QueryHandler(FindPerson)
export class FindPersonHandler implements IQueryHandler<FindPerson> {
  constructor(private readonly requests: AuthorizationRequests) {}

  execute({ authorizationId }: FindPerson): Promise<IdentifiedPerson | undefined> {
    return this.requests.claimsOf(authorizationId);
  }
}

@CommandHandler(ErasePerson)
export class ErasePersonHandler implements ICommandHandler<ErasePerson> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
  ) {}

  async execute({ of, cause }: ErasePerson): Promise<void> {
    if ('authorizationId' in of) return this.erase(of.authorizationId, cause);
    let cursor: string | undefined;
    do {
      const page = await this.authorizations.list({ parent: of.offerId, limit: 100, cursor });
      for (const { id } of page.items) await this.erase(id, cause);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  private erase(authorizationId: string, cause: ErasureCause): Awaitable<void> {
    return this.store.transact(() => {
      const erased = this.authorizations.update(authorizationId, ({ state, now }) =>
        state ? erasePerson(state, cause, now) : [],
      );
      return whenThere(erased, ({ dataKey }) =>
        // Again, too, when the event is there: a backup may have brought the key back.
        dataKey ? this.store.destroyDataKey(authorizationAggregate.category, authorizationId) : undefined,
      );
    });
  }
}
