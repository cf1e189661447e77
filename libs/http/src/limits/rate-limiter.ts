import { ofTenant } from '@app/primitives/context';
import { SQL_DRIVER, type SqlDriver, SqlError } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { networkOf } from './network';
import { type RateLimitName, rateLimits } from './rate-limits';
import { type Failures, keyOf, WaitingFailures } from './waiting-failures';

export const RATE_LIMITS_ENABLED = Symbol('RATE_LIMITS_ENABLED');

/** How long another replica may not know yet of a client that has used up its failures. */
const POLL_EVERY = 1_000;
const FORGET_EVERY = 60_000;

/** What can fail, as the log calls it. */
type Failure = 'rate-limit.count-failed' | 'rate-limit.poll-failed' | 'rate-limit.forget-failed';

interface Count {
  readonly name: string;
  readonly client: string;
  readonly count: number;
  /** Milliseconds until the minute ends, by the clock of the database. */
  readonly left: number;
}

/**
 * Counts failures per client and minute in the database, for all replicas together. A client that has used up a limit is held in
 * memory, so that asking costs a request nothing; the other replicas learn it within a second.
 */
@Injectable()
export class RateLimiter implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(RateLimiter.name);
  /** Monotonic time at which a client may try again, by limit and client. */
  private readonly blocked = new Map<string, number>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly failures = new WaitingFailures((failures) =>
    this.tried('rate-limit.count-failed', () => this.store(failures)),
  );
  /** The minute, by the clock of the database, in which rows were forgotten last. */
  private lastMinute: Date | undefined;
  /** What did not work the last time, so that the log says it once. */
  private readonly failing = new Set<Failure>();

  constructor(
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
    @Inject(RATE_LIMITS_ENABLED) private readonly enabled: boolean,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    if (!this.enabled) return;
    this.timers.push(
      setInterval(() => void this.tried('rate-limit.poll-failed', () => this.poll()), POLL_EVERY).unref(),
      setInterval(() => void this.tried('rate-limit.forget-failed', () => this.forget()), FORGET_EVERY).unref(),
    );
  }

  onModuleDestroy(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Whole seconds this client has to wait, 1 or more; `undefined` when it may go on. */
  secondsToWait(name: RateLimitName, address: string): number | undefined {
    const seconds = this.secondsLeft(name, address);
    if (seconds !== undefined) this.metrics.rateLimited(name);
    return seconds;
  }

  private secondsLeft(name: RateLimitName, address: string): number | undefined {
    if (this.blocked.size === 0) return undefined;
    const until = this.blocked.get(keyOf(name, clientAt(address)));
    if (until === undefined) return undefined;
    const left = until - performance.now();
    return left > 0 ? Math.ceil(left / 1000) : undefined;
  }

  /** Counts one failure. A database that is away is no reason to fail the request: then nothing is counted. */
  async count(name: RateLimitName, address: string): Promise<void> {
    if (!this.enabled || this.secondsLeft(name, address) !== undefined) return;
    await this.failures.add(name, clientAt(address));
  }

  private async store(failures: readonly Failures[]): Promise<void> {
    // Replicas write many rows at once: in one order, so that they wait for each other and not in a circle.
    const ordered = failures.toSorted((one, other) =>
      keyOf(one.name, one.client) < keyOf(other.name, other.client) ? -1 : 1,
    );
    const rows = await this.driver.query<Count>({
      name: 'rate-limit-count',
      text: `insert into rate_limits as kept (name, client, window_start, count)
             select name, client, date_trunc('minute', now()), failed
             from unnest($1::text[], $2::text[], $3::integer[]) as failures (name, client, failed)
             on conflict (name, client, window_start) do update set count = kept.count + excluded.count
             returning name, client, count, ${millisecondsLeft}`,
      values: [ordered.map(({ name }) => name), ordered.map(({ client }) => client), ordered.map(({ count }) => count)],
    });
    const added = new Map(failures.map(({ name, client, count }) => [keyOf(name, client), count]));
    for (const { name, client, count } of rows) {
      const limit = rateLimits[name as RateLimitName];
      if (count < limit || count - (added.get(keyOf(name, client)) ?? 0) >= limit) continue;
      this.logger.warn({ event: 'rate-limit.reached', limit: name });
    }
    this.block(rows);
  }

  private async poll(): Promise<void> {
    const names = Object.keys(rateLimits) as RateLimitName[];
    const rows = await this.driver.query<Count>({
      name: 'rate-limit-reached',
      text: `select name, client, count, ${millisecondsLeft}
             from rate_limits join unnest($1::text[], $2::integer[]) as allowed (limit_name, most)
               on name = limit_name and count >= most
             where window_start = date_trunc('minute', now())`,
      values: [names, names.map((name) => rateLimits[name])],
    });
    const now = performance.now();
    for (const [key, until] of this.blocked) if (until <= now) this.blocked.delete(key);
    this.block(rows);
  }

  private block(rows: readonly Count[]): void {
    for (const { name, client, count, left } of rows) {
      if (count < rateLimits[name as RateLimitName]) continue;
      this.blocked.set(keyOf(name, client), performance.now() + left);
    }
  }

  /**
   * Forgets the minutes before the last look: real time has passed since, so they cannot be the present one again,
   * however the clock of the database was set meanwhile; and never the present one, by a clock that was ahead then.
   */
  private async forget(): Promise<void> {
    const [row] = await this.driver.query<{ minute: Date }>({
      name: 'rate-limit-forget',
      text: `with forgotten as (delete from rate_limits
               where window_start < least($1::timestamptz, date_trunc('minute', now())) and name not like 'tenant:%')
             select date_trunc('minute', now()) as minute`,
      values: [this.lastMinute?.toISOString() ?? '-infinity'],
    });
    this.lastMinute = row?.minute;
  }

  /** A failure lets requests go on without a limit, so it is never silent. */
  private async tried(event: Failure, attempt: () => Promise<void>): Promise<void> {
    try {
      await attempt();
      this.failing.delete(event);
    } catch (error) {
      this.metrics.rateLimitFailed();
      if (this.failing.has(event)) return;
      this.failing.add(event);
      this.logger.error({ event, reason: reasonOf(error) }, 'Rate limits are not enforced');
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SqlError) return error.code === '42501' ? 'permission-denied' : `sql-${error.code}`;
  return error instanceof Error ? error.name : 'unknown';
}

const millisecondsLeft = `(extract(epoch from window_start + interval '1 minute' - clock_timestamp()) * 1000)::integer as left`;

/** One that has to wait at a tenant need not at another. */
function clientAt(address: string): string {
  return ofTenant(networkOf(address));
}
