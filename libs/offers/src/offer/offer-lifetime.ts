import { plusDuration } from '@app/primitives/time';

/** ISO 8601. */
const defaultLifetime = 'PT24H';
export const longestLifetimeDays = 90;
/** ISO 8601; longer than any wallet can wait for the data of a deferred offer. */
const longestWait = 'P100D';

/** When an offer ends, and how far that can be moved. */
export function lifetimeFrom(
  now: Date,
  expiresIn = defaultLifetime,
): { readonly expiresAt: Date; readonly extendableUntil: Date } {
  const expiresAt = plusDuration(now, expiresIn);
  return { expiresAt, extendableUntil: plusDuration(expiresAt, `P${longestLifetimeDays}D`) };
}

/**
 * How long the handle of an offer is bound: until no offer can be found by it, nor a grant by its hash.
 * @param extendableUntil the latest end of the offer
 */
export function boundUntil(extendableUntil: Date, isDeferred = false): Date {
  return isDeferred ? plusDuration(extendableUntil, longestWait) : extendableUntil;
}
