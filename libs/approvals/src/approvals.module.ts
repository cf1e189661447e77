import { AccessModule } from '@app/access';
import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { approvalAggregate, APPROVALS } from './approval';
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
export class ApprovalsModule {}
