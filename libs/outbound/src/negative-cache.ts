import { performance } from 'node:perf_hooks';
import type { OutboundError } from './outbound-error';

/** Characters of all keys together, which are addresses that others chose, and a share for each entry. */
const MAX_WEIGHT = 512 * 1024;
const ENTRY_WEIGHT = 256;

/** Remembers failures for a moment, so that one dead host does not cost every request its full timeout. */
export class NegativeCache {
  private readonly failures = new Map<string, { readonly error: OutboundError; readonly until: number }>();

  private weight = 0;

  constructor(private readonly lifetimeMs: number) {}

  get(key: string): OutboundError | undefined {
    const failure = this.failures.get(key);
    if (failure === undefined) return undefined;
    if (failure.until > performance.now()) return failure.error;
    this.forget(key);
    return undefined;
  }

  remember(key: string, error: OutboundError): void {
    if (this.lifetimeMs <= 0) return;
    this.forget(key);
    const weight = ENTRY_WEIGHT + key.length;
    // A Map iterates in insertion order: the first entry is the oldest.
    for (const oldest of this.failures.keys()) {
      if (this.weight + weight <= MAX_WEIGHT) break;
      this.forget(oldest);
    }
    this.weight += weight;
    this.failures.set(key, { error, until: performance.now() + this.lifetimeMs });
  }

  private forget(key: string): void {
    if (this.failures.delete(key)) this.weight -= ENTRY_WEIGHT + key.length;
  }
}
