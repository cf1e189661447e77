import { plusDuration } from '@app/time';

/** ISO 8601. */
const defaultLifetime = 'PT24H';
export const longestLifetimeDays = 90;

/** When an offer ends, and how far that can be moved. */
export function lifetimeFrom(
  now: Date,
  expiresIn = defaultLifetime,
): { readonly expiresAt: Date; readonly extendableUntil: Date } {
  const expiresAt = plusDuration(now, expiresIn);
  return { expiresAt, extendableUntil: plusDuration(expiresAt, `P${longestLifetimeDays}D`) };
}
