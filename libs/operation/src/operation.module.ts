import { Module } from '@nestjs/common';
import { Checkpoints } from './checkpoints';
import { ConfigurationController } from './configuration.controller';
import { DurabilityWarning } from './durability-warning';
import { Expiries } from './expiries';
import { HealthModule } from './health.module';
import { HighAssurance } from './high-assurance';
import { Housekeeping } from './housekeeping';
import { StandingController } from './standing.controller';
import { RightsWarning } from './rights-warning';

/** What operators see of a running service, and its background work. */
@Module({
  imports: [HealthModule],
  controllers: [ConfigurationController, StandingController],
  providers: [Housekeeping, Expiries, DurabilityWarning, RightsWarning, HighAssurance, Checkpoints],
  exports: [Housekeeping],
})
export class OperationModule {}
