import { SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { Metrics } from '@app/observability';
import { apart, currentTenant } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type CountedByTenant, currentStanding, type TenantLimits } from '../context/tenant-standing';

const limits = {
  offers: { name: 'offersPerMinute', unit: 'minute', milliseconds: 60_000 },
  credentials: { name: 'credentialsPerDay', unit: 'day', milliseconds: 24 * 60 * 60_000 },
  requests: { name: 'requestsPerMinute', unit: 'minute', milliseconds: 60_000 },
} as const satisfies Record<CountedByTenant, { name: keyof TenantLimits; unit: string; milliseconds: number }>;

const forgetEvery = 60_000;

interface Window {
  count: number;
  /** Monotonic time. */
  until: number;
}

interface Taken {
  readonly counted: CountedByTenant;
  readonly mark: string;
  count: number;
}

interface Count {
  readonly name: string;
  readonly client: string;
  readonly count: number;
  /** Milliseconds until the window ends, by the clock of the database. */
  readonly left: number;
}

/**
 * Counts what tenants with limits do, in the database for all replicas together. A request does not wait for it: it is judged by what
 * this replica has counted, and by what the others had when it wrote the last time.
 */
@Injectable()
export class TenantLimiter {
  private readonly logger = new Logger(TenantLimiter.name);
  private readonly windows = new Map<string, Window>();
  private waiting = new Map<string, Taken>();
  private writing: Promise<void> | undefined;
  private forgotAt = -Infinity;

  constructor(
    @Inject(SQL_DRIVER) private readonly driver: SqlExecutor,
    private readonly metrics: Metrics,
  ) {}

  /** Counts one for the tenant at hand. @returns whole seconds to wait when it has reached the limit; then nothing is counted */
  take(counted: CountedByTenant): number | undefined {
    const most = currentStanding()?.limits?.[limits[counted].name];
    const mark = currentTenant()?.mark;
    if (most === undefined || mark === undefined) return undefined;
    const key = `tenant:${counted} ${mark}`;
    const now = performance.now();
    const known = this.windows.get(key);
    const window = known && known.until > now ? known : { count: 0, until: now + leftOf(counted) };
    this.windows.set(key, window);
    if (window.count >= most) return Math.max(1, Math.ceil((window.until - now) / 1000));
    window.count++;
    const taken = this.waiting.get(key) ?? { counted, mark, count: 0 };
    taken.count++;
    this.waiting.set(key, taken);
    this.writing ??= apart(() => this.writeAll().finally(() => (this.writing = undefined)));
    return undefined;
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.waiting.size > 0) await this.write();
      if (performance.now() - this.forgotAt > forgetEvery) await this.forget();
    } catch (error) {
      // This replica goes on by its own count.
      this.metrics.rateLimitFailed();
      this.logger.warn({ event: 'rate-limit.count-failed', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }

  private async write(): Promise<void> {
    const taken = [...this.waiting].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
    this.waiting = new Map();
    const rows = await this.driver.query<Count>({
      name: 'tenant-limit-count',
      text: `insert into rate_limits as kept (name, client, window_start, count)
             select name, mark, date_trunc(unit, now()), taken
             from unnest($1::text[], $2::text[], $3::text[], $4::integer[]) as given (name, mark, unit, taken)
             on conflict (name, client, window_start) do update set count = kept.count + excluded.count
             returning name, client, count,
               (extract(epoch from window_start + case name when 'tenant:credentials' then interval '1 day' else interval '1 minute' end
                 - clock_timestamp()) * 1000)::integer as left`,
      values: [
        taken.map(({ counted }) => `tenant:${counted}`),
        taken.map(({ mark }) => mark),
        taken.map(({ counted }) => limits[counted].unit),
        taken.map(({ count }) => count),
      ],
    });
    const now = performance.now();
    for (const { name, client, count, left } of rows) {
      const key = `${name} ${client}`;
      this.windows.set(key, { count: count + (this.waiting.get(key)?.count ?? 0), until: now + left });
    }
  }

  private async forget(): Promise<void> {
    this.forgotAt = performance.now();
    for (const [key, { until }] of this.windows) if (until <= this.forgotAt) this.windows.delete(key);
    await this.driver.query({
      name: 'tenant-limit-forget',
      text: `delete from rate_limits where name like 'tenant:%' and window_start <
        now() - case name when 'tenant:credentials' then interval '2 days' else interval '5 minutes' end`,
      values: [],
    });
  }
}

/** By the clock of this process, until the database was asked. */
function leftOf(counted: CountedByTenant): number {
  const { milliseconds } = limits[counted];
  return milliseconds - (Date.now() % milliseconds);
}
