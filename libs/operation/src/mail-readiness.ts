import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { FindMailStanding } from './api';

/** The relay that takes mails, as a part of readiness where one is configured. */
@Injectable()
export class MailReadiness {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly queries: QueryBus,
  ) {}

  /** Never down: all replicas have the same relay, and mails wait for it. */
  async check(): Promise<HealthIndicatorResult[]> {
    const relay = await this.queries.execute(new FindMailStanding());
    return relay === 'none' ? [] : [this.indicators.check('mail').up({ relay })];
  }
}
