import { type Answer, entityTag, HttpReply, Implements, type Input, Resource } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { stateOf } from './approval';
import type { OpenedApproval } from './approval-records';
import { approvalView } from './approval-view';
import { approvals } from './approvals.contract';
import { DecideApproval, GetApproval, ListApprovals } from './approvals.handlers';

@Resource(approvals)
export class ApprovalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(approvals.list)
  async list({ query }: Input<typeof approvals.list>): Promise<Answer<typeof approvals.list>> {
    const { items, nextCursor } = await this.queries.execute(new ListApprovals(query.page, query.state));
    return { items: items.map(approvalView), nextCursor };
  }

  @Implements(approvals.get)
  async get({ params: { approvalId } }: Input<typeof approvals.get>): Promise<HttpReply> {
    return reply(await this.queries.execute(new GetApproval(approvalId)));
  }

  @Implements(approvals.approve)
  async approve({ params: { approvalId }, body, conditions }: Input<typeof approvals.approve>): Promise<HttpReply> {
    return reply(await this.commands.execute(new DecideApproval(approvalId, 'approve', body.comment, conditions)));
  }

  @Implements(approvals.reject)
  async reject({ params: { approvalId }, body, conditions }: Input<typeof approvals.reject>): Promise<HttpReply> {
    return reply(await this.commands.execute(new DecideApproval(approvalId, 'reject', body.comment, conditions)));
  }
}

function reply(opened: OpenedApproval): HttpReply {
  const isExpired = stateOf(opened.approval, opened.now) === 'expired';
  return new HttpReply(200, approvalView(opened), {
    ETag: entityTag(opened.version, isExpired ? 'expired' : undefined),
  });
}
