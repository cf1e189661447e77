import { type Answer, Implements, type Input, Resource } from '@app/http';
import { EventStore } from '@app/event-store';
import { audit } from './audit.contract';

@Resource(audit)
export class AuditController {
  constructor(private readonly store: EventStore) {}

  @Implements(audit.list)
  async list({
    query: { page, limit: _limit, cursor: _cursor, ...filters },
  }: Input<typeof audit.list>): Promise<Answer<typeof audit.list>> {
    const { items, nextCursor } = await this.store.listAudit({ ...filters, ...page });
    return { items: items.map(({ recordedAt, ...row }) => ({ at: recordedAt.toISOString(), ...row })), nextCursor };
  }
}
