import { RECORD_ANSWER, type RecordAnswer, RECORD_REFUSAL } from '@app/http';
import { Global, Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { AuditTrail } from './audit-trail';
import { RefusedAccess } from './refused-access';

/** Global: every answer and every refusal of the management API passes it. Wants the `EventStoreModule`. */
@Global()
@Module({
  controllers: [AuditController],
  providers: [
    RefusedAccess,
    AuditTrail,
    {
      provide: RECORD_ANSWER,
      inject: [AuditTrail],
      useFactory:
        (trail: AuditTrail): RecordAnswer =>
        (answer) =>
          trail.answered(answer),
    },
    { provide: RECORD_REFUSAL, inject: [AuditTrail], useFactory: ({ refused }: AuditTrail) => refused },
  ],
  exports: [AuditTrail, RECORD_ANSWER, RECORD_REFUSAL],
})
export class AuditModule {}
