import type { CreatedRequest } from './api/resources';

/** What the service returns once, by the id of its resource: the page shows it until it is closed or reloaded. */
class ShownOnce<T> {
  private readonly values = new Map<string, T>();

  remember(id: string, value: T | undefined): void {
    if (value !== undefined) this.values.set(id, value);
  }

  of(id: string): T | undefined {
    return this.values.get(id);
  }
}

/** API keys of tenants. */
export const tenantKeys = new ShownOnce<string>();

export const transactionCodes = new ShownOnce<string>();

/** With which receivers check what webhooks send. */
export const webhookSecrets = new ShownOnce<string>();

/** Authorization requests with their links. */
export const createdRequests = new ShownOnce<CreatedRequest>();
