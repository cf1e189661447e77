import { isDateTime, isDuration, plusDuration } from '@app/primitives/time';

/** How long credentials of a template may live: without end, a duration from preparation on, or a fixed deadline. */
export type Expiration = 'never' | { readonly after: string } | { readonly at: string };

export const defaultExpiration: Expiration = { after: 'P90D' };

// A longer lifetime has no end in practice, and the calendar ends with the year 9999.
const longestLife = 'P1000Y';

/** Reads `never`, an ISO 8601 duration of at most 1000 years or an RFC 3339 date-time; `undefined` when it is none of them. */
export function parseExpiration(text: unknown): Expiration | undefined {
  if (text === 'never') return 'never';
  if (isDuration(text)) return isWithinCalendar(text) ? { after: text } : undefined;
  if (isDateTime(text)) return { at: new Date(text).toISOString() };
  return undefined;
}

export function isExpiration(text: unknown): boolean {
  return parseExpiration(text) !== undefined;
}

function isWithinCalendar(duration: string): boolean {
  const epoch = new Date(0);
  // A duration that leads to no date at all compares as false.
  return plusDuration(epoch, duration) <= plusDuration(epoch, longestLife);
}

/** The text a portal wrote, back from its parsed form. */
export function expirationText(expiration: Expiration): string {
  if (expiration === 'never') return 'never';
  return 'after' in expiration ? expiration.after : expiration.at;
}

/** The last moment a credential prepared at `from` may be valid; `undefined` when there is no end. */
export function expirationLimit(expiration: Expiration, from: Date): Date | undefined {
  if (expiration === 'never') return undefined;
  return 'after' in expiration ? plusDuration(from, expiration.after) : new Date(expiration.at);
}
