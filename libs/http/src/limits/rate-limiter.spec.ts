import { type SqlDriver, SqlError, type Statement } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Logger } from '@nestjs/common';
import { RateLimiter } from './rate-limiter';

describe('limits that cannot be counted', () => {
  const denied = new SqlError('permission denied for table rate_limits', '42501', undefined, undefined);
  let isDenied: boolean;
  let metrics: Metrics;
  let limiter: RateLimiter;
  const logged = jest.spyOn(Logger.prototype, 'error');

  beforeEach(() => {
    isDenied = true;
    logged.mockReset();
    metrics = new Metrics();
    jest.spyOn(metrics, 'rateLimitFailed');
    const query = (): Promise<unknown[]> => (isDenied ? Promise.reject(denied) : Promise.resolve([]));
    limiter = new RateLimiter({ query } as unknown as SqlDriver, true, metrics);
  });
  afterAll(() => {
    logged.mockRestore();
  });

  it('are said in the log once with the reason, counted each time, and said again after they have worked', async () => {
    for (let attempt = 0; attempt < 3; attempt++) await limiter.count('failed-access', '203.0.113.1');
    expect(logged.mock.calls).toEqual([
      [{ event: 'rate-limit.count-failed', reason: 'permission-denied' }, 'Rate limits are not enforced'],
    ]);
    expect(metrics.rateLimitFailed).toHaveBeenCalledTimes(3);
    isDenied = false;
    await limiter.count('failed-access', '203.0.113.1');
    isDenied = true;
    await limiter.count('failed-access', '203.0.113.1');
    expect(logged).toHaveBeenCalledTimes(2);
  });
});

describe('minutes that are over', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are forgotten by what the clock showed a minute ago, not by where it has jumped since', async () => {
    const clock = ['2027-06-30T12:00:00.000Z', '2027-07-03T12:01:00.000Z', '2027-06-30T12:02:00.000Z'];
    const forgotten: unknown[] = [];
    const query = ({ name, values }: Statement): Promise<unknown[]> => {
      if (name !== 'rate-limit-forget') return Promise.resolve([]);
      forgotten.push(values[0]);
      return Promise.resolve([{ minute: new Date(clock[forgotten.length - 1] ?? '') }]);
    };
    const limiter = new RateLimiter({ query } as unknown as SqlDriver, true, new Metrics());
    limiter.onModuleInit();
    for (let minute = 0; minute < 3; minute++) await jest.advanceTimersByTimeAsync(60_000);
    limiter.onModuleDestroy();
    expect(forgotten).toEqual(['-infinity', clock[0], clock[1]]);
  });
});
