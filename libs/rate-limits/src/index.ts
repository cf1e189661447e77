export { networkOf } from './network';
export { RateLimiter } from './rate-limiter';
export { RateLimitsModule, type RateLimitsOptions } from './rate-limits.module';
export { rateLimits, type RateLimitName } from './rate-limits';
