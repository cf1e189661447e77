import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { FindLoginStanding } from './api';

/** The provider at which people log in, as a part of readiness where one is configured. */
@Injectable()
export class LoginReadiness {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly queries: QueryBus,
  ) {}

  /** Never down: all replicas have the same provider, and pre-authorized codes are redeemed without it. */
  async check(): Promise<HealthIndicatorResult[]> {
    const provider = await this.queries.execute(new FindLoginStanding());
    return provider === 'none' ? [] : [this.indicators.check('login').up({ provider })];
  }
}
