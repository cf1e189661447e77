import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import { LoginReadiness } from './login-readiness';
import { MailReadiness } from './mail-readiness';
import { RegistrationReadiness } from './registration-readiness';
import { Readiness } from './readiness';

/** `/livez` and `/readyz`. Terminus would log each failed probe, which the prober sees anyway. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [Readiness, LoginReadiness, MailReadiness, RegistrationReadiness],
  exports: [Readiness, LoginReadiness, MailReadiness, RegistrationReadiness],
})
export class HealthModule {}
