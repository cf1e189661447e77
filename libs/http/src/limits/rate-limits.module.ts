import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { RATE_LIMITS_ENABLED, RateLimiter } from './rate-limiter';
import { TenantLimiter } from './tenant-limiter';

export interface RateLimitsOptions<A extends unknown[]> {
  readonly inject: InjectionToken[];
  /** Whether anything is counted at all. */
  readonly useFactory: (...injected: A) => boolean;
}

/** Global: provides the {@link RateLimiter}. Needs the event store's module. */
@Module({})
export class RateLimitsModule {
  static forRootAsync<A extends unknown[]>({ inject, useFactory }: RateLimitsOptions<A>): DynamicModule {
    return {
      module: RateLimitsModule,
      global: true,
      providers: [{ provide: RATE_LIMITS_ENABLED, inject, useFactory }, RateLimiter, TenantLimiter],
      exports: [RateLimiter, TenantLimiter],
    };
  }
}
