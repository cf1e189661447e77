import { EventStore } from '@app/event-store';
import { Metrics } from '@app/observability';
import { currentTenant, inTenant, ofTenant, type Tenant } from '@app/primitives/context';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

const every = 60_000;

export type AccessRefusal = 'unauthorized' | 'rate-limited';

interface Refused {
  readonly outcome: AccessRefusal;
  readonly tenant: Tenant | undefined;
  readonly count: number;
}

/**
 * Counts the refusals of unauthenticated callers and leaves one row a minute for each kind of refusal, and each tenant, however many
 * there were: a caller without a key must not be able to fill the table.
 */
@Injectable()
export class RefusedAccess implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(RefusedAccess.name);
  private readonly counts = new Map<string, Refused>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), every).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  count(outcome: AccessRefusal): void {
    this.add({ outcome, tenant: currentTenant(), count: 1 });
  }

  /** Writes what has been counted; what cannot be written is kept for the next time. */
  async flush(): Promise<void> {
    for (const [key, refused] of [...this.counts]) {
      this.counts.delete(key);
      const { outcome, tenant, count } = refused;
      try {
        const unknownCaller = { principal: 'unknown', client: null, object: null, requestId: null };
        await inTenant(tenant, async () => this.store.audit({ ...unknownCaller, action: 'access', outcome, count }));
      } catch (error) {
        this.add(refused);
        this.metrics.auditFailed();
        this.logger.warn({ event: 'audit.failed', reason: error instanceof Error ? error.name : 'unknown' });
      }
    }
  }

  private add({ outcome, tenant, count }: Refused): void {
    const key = inTenant(tenant, () => ofTenant(outcome));
    this.counts.set(key, { outcome, tenant, count: count + (this.counts.get(key)?.count ?? 0) });
  }
}
