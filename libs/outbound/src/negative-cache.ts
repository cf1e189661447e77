import { performance } from 'node:perf_hooks';
import type { OutboundError } from './outbound-error';

const MAX_ENTRIES = 500;

/** Remembers failures for a moment, so that one dead host does not cost every request its full timeout. */
export class NegativeCache {
  private readonly failures = new Map<string, { readonly error: OutboundError; readonly until: number }>();

  constructor(private readonly lifetimeMs: number) {}

  get(key: string): OutboundError | undefined {
    const failure = this.failures.get(key);
    if (failure === undefined) return undefined;
    if (failure.until > performance.now()) return failure.error;
    this.failures.delete(key);
    return undefined;
  }

  remember(key: string, error: OutboundError): void {
    if (this.lifetimeMs <= 0) return;
    if (this.failures.size >= MAX_ENTRIES) this.failures.clear();
    this.failures.set(key, { error, until: performance.now() + this.lifetimeMs });
  }
}
