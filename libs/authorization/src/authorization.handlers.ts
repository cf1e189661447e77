import type { IdentifiedPerson } from '@app/templates';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { FindPerson } from './api';
import { AuthorizationRequests } from './authorization-requests';

@QueryHandler(FindPerson)
export class FindPersonHandler implements IQueryHandler<FindPerson> {
  constructor(private readonly requests: AuthorizationRequests) {}

  execute({ authorizationId }: FindPerson): Promise<IdentifiedPerson | undefined> {
    return this.requests.claimsOf(authorizationId);
  }
}
