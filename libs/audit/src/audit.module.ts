import { RECORD_REFUSAL } from '@app/http';
import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditController } from './audit.controller';
import { AuditInterceptor } from './audit.interceptor';
import { AuditTrail } from './audit-trail';
import { RefusedAccess } from './refused-access';

/** Global: every request of the management API passes its interceptor, and every refusal. Wants the `EventStoreModule`. */
@Global()
@Module({
  controllers: [AuditController],
  providers: [
    RefusedAccess,
    AuditTrail,
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    { provide: RECORD_REFUSAL, inject: [AuditTrail], useFactory: ({ refused }: AuditTrail) => refused },
  ],
  exports: [AuditTrail, RECORD_REFUSAL],
})
export class AuditModule {}
