import { AccessModule } from '@app/access';
import { DueExpiries, EventStore, type Repository } from '@app/event-store';
import { TemplateLimits } from '@app/http';
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import {
  type Approval,
  approvalAggregate,
  type ApprovalEvent,
  APPROVALS,
  approvalsToExpire,
  expireApproval,
} from './approval';
import { ApprovalRecords } from './approval-records';
import { ApprovalsController } from './approvals.controller';
import {
  DecideApprovalHandler,
  EraseApprovalsHandler,
  GetApprovalHandler,
  ListApprovalsHandler,
  RequestApprovalHandler,
} from './approvals.handlers';

@Module({
  imports: [AccessModule],
  controllers: [ApprovalsController],
  providers: [
    {
      provide: APPROVALS,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(approvalAggregate),
    },
    ApprovalRecords,
    RequestApprovalHandler,
    DecideApprovalHandler,
    EraseApprovalsHandler,
    GetApprovalHandler,
    ListApprovalsHandler,
  ],
})
export class ApprovalsModule implements OnModuleInit {
  constructor(
    private readonly limits: TemplateLimits,
    private readonly due: DueExpiries,
    @Inject(APPROVALS) private readonly approvals: Repository<Approval, ApprovalEvent>,
  ) {}

  onModuleInit(): void {
    this.limits.knows('approvalId', async (id) => {
      const { state } = await this.approvals.load(id);
      return state && [state.templateId];
    });
    this.due.add({
      category: approvalAggregate.category,
      list: (page) => this.approvals.listInStates({ ...page, ...approvalsToExpire }),
      record: async (id) => {
        await this.approvals.update(id, ({ state, now }) => (state ? expireApproval(state, now) : []));
      },
    });
  }
}
