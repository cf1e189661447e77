import type { BodyLimit } from '@app/http';
import { audienceOf } from '@app/web';

const kibi = 1024;
const mebi = 1024 * kibi;
const second = 1000;

/** Wallets are strangers and need little. */
const wallet: BodyLimit = { bytes: 64 * kibi, seconds: 30, together: 32 * mebi };
/** Presentations may hold many disclosures; encrypted ones are a third larger. */
const presentation: BodyLimit = { bytes: 2 * mebi, seconds: 30, together: 64 * mebi };
const management: BodyLimit = { bytes: 256 * kibi, seconds: 30, together: 32 * mebi };
/** A thousand credentials at once. */
const batch: BodyLimit = { bytes: 8 * mebi, seconds: 60, together: 128 * mebi };

export function bodyLimitOf(path: string): BodyLimit {
  if (path.startsWith('/v0/credentials/batch')) return batch;
  if (audienceOf(path) === 'portals') return management;
  return path.startsWith('/openid4vp/') ? presentation : wallet;
}

/** A thousand credentials are a thousand times the work of one. */
const batchFactor = 6;

/** Milliseconds in which a request is answered, by its path. */
export function budgetOf(requestSeconds: number): (path: string) => number {
  // The answer takes a moment to get out.
  const budget = 0.95 * requestSeconds * second;
  return (path) => (bodyLimitOf(path) === batch ? batchFactor * budget : budget);
}
