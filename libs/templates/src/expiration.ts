import { isDateTime, isDuration, plusDuration } from '@app/time';

/** How long credentials of a template may live: without end, a duration from preparation on, or a fixed deadline. */
export type Expiration = 'never' | { readonly after: string } | { readonly at: string };

export const defaultExpiration: Expiration = { after: 'P90D' };

/** Reads `never`, an ISO 8601 duration or an RFC 3339 date-time; `undefined` when it is none of them. */
export function parseExpiration(text: unknown): Expiration | undefined {
  if (text === 'never') return 'never';
  if (isDuration(text)) return { after: text };
  if (isDateTime(text)) return { at: new Date(text).toISOString() };
  return undefined;
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
