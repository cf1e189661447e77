import { currentTenant } from '@app/primitives/context';
import { Counter, type Registry } from 'prom-client';
import type { Labels } from './event-counter';

/** Tenants with time series of their own; more are counted together. */
const mostNamed = 100;

/** What is counted for each tenant. Where there are none, there are no series of them. */
export class TenantCounts {
  private readonly named = new Set<string>();
  private requests: Counter<'tenant' | 'outcome'> | undefined;

  constructor(private readonly registry: Registry) {}

  answered(tenant: string, status: number): void {
    this.requests ??= new Counter({
      name: 'sealwright_tenant_requests_total',
      help: 'Requests to tenants',
      labelNames: ['tenant', 'outcome'],
      registers: [this.registry],
    });
    const outcome = status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed';
    this.requests.inc({ tenant: this.nameOf(tenant), outcome });
  }

  /** The labels of the series for a tenant; those that were given when there is none. */
  labelled(labels: Labels, tenant = currentTenant()?.id): Labels {
    return tenant === undefined ? labels : { ...labels, tenant: this.nameOf(tenant) };
  }

  private nameOf(tenant: string): string {
    if (this.named.size < mostNamed) this.named.add(tenant);
    return this.named.has(tenant) ? tenant : 'other';
  }
}
