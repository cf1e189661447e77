import { notePersonalData } from '@app/access';
import { type Answer, Implements, type Input, Resource } from '@app/http';
import { QueryBus } from '@nestjs/cqrs';
import { FindByReference } from './credential-lists.handlers';
import { credentialView } from './credentials.controller';
import { mostFound, searches } from './searches.contract';

@Resource(searches)
export class SearchesController {
  constructor(private readonly queries: QueryBus) {}

  @Implements(searches.search)
  async search({ body }: Input<typeof searches.search>): Promise<Answer<typeof searches.search>> {
    // That somebody has a credential under this reference is about a person.
    notePersonalData();
    const found = await this.queries.execute(new FindByReference(body.reference, mostFound));
    return { items: found.map(credentialView) };
  }
}
