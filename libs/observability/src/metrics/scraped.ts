import { setTimeout as delay } from 'node:timers/promises';

export const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A key in software signs in 30 µs, one behind a network in milliseconds. */
export const signingBuckets = [0.000_05, 0.000_1, 0.000_25, 0.000_5, ...buckets];

/** Milliseconds that a scrape waits for a value that needs a query. */
const patience = 1_000;

/** `undefined` when it fails or takes too long. */
export function inTime<T>(read: () => Promise<T>): Promise<T | undefined> {
  return Promise.race([read().catch(() => undefined), delay(patience, undefined, { ref: false })]);
}
