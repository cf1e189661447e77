import { AuditModule } from '@app/audit';
import { IssuanceModule } from '@app/issuance/src/issuance.module';
import { OffersModule } from '@app/offers/src/offers.module';
import { TemplatesModule } from '@app/templates/src/templates.module';
import { VerificationModule } from '@app/verification/src/verification.module';
import { Module } from '@nestjs/common';
import { ConfigurationController } from './configuration.controller';

/** What the service tells about itself. */
@Module({ controllers: [ConfigurationController] })
class OperationModule {}

/** The business, and the service itself; the OpenAPI document is made from the same list. */
export const managementModules = [
  TemplatesModule,
  OffersModule,
  IssuanceModule,
  VerificationModule,
  OperationModule,
  AuditModule,
];
