import { HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { LoginReadiness } from './login-readiness';
import { MailReadiness } from './mail-readiness';
import { RegistrationReadiness } from './registration-readiness';
import { Readiness } from './readiness';

const headers = { 'Cache-Control': 'no-store' };

/** The probes for operators, in the format of Terminus. */
@Controller()
@PublicEndpoint('everyone')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly readiness: Readiness,
    private readonly login: LoginReadiness,
    private readonly mail: MailReadiness,
    private readonly registration: RegistrationReadiness,
  ) {}

  /** The process answers; nothing else is asked, because a new process would not bring a lost database back. */
  @Get('livez')
  live(): HttpReply {
    return new HttpReply(200, { status: 'ok', info: {}, error: {}, details: {} } satisfies HealthCheckResult, headers);
  }

  @Get('readyz')
  async ready(): Promise<HttpReply> {
    const results = [
      ...(await this.readiness.check()),
      ...(await this.login.check()),
      ...(await this.mail.check()),
      ...this.registration.check(),
    ];
    try {
      return new HttpReply(200, await this.health.check(results.map((result) => () => result)), headers);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      return new HttpReply(503, error.getResponse(), headers);
    }
  }
}
