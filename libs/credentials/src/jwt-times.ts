import type { JsonObject, JsonValue } from '@app/primitives/json';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { demand } from './presentation-check';

/** Seconds ago a wallet may have signed its presentation: it signs while it answers. */
const MAX_PRESENTATION_AGE = 300;

const LAST_DATE_SECONDS = 8.64e12; // what a JavaScript date can hold

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

export type JwtTimes = { readonly exp?: number; readonly nbf?: number; readonly iat?: number };

/** Reads exp, nbf and iat (RFC 7519 §2 NumericDate, seconds, fractions allowed). Throws `Refusal`. */
export function readTimes(payload: JsonObject): JwtTimes {
  const exp = readNumericDate(payload['exp'], 'exp');
  const nbf = readNumericDate(payload['nbf'], 'nbf');
  const iat = readNumericDate(payload['iat'], 'iat');
  return { ...(exp !== undefined && { exp }), ...(nbf !== undefined && { nbf }), ...(iat !== undefined && { iat }) };
}

/** Refuses what has expired or is not valid yet, give or take the clock skew. Throws `Refusal`. */
export function checkValidNow({ exp, nbf, iat }: JwtTimes, now: Date, what: string): void {
  const seconds = now.getTime() / 1000;
  demand(exp === undefined || exp > seconds - CLOCK_SKEW_SECONDS, `${what} has expired`);
  demand(nbf === undefined || nbf <= seconds + CLOCK_SKEW_SECONDS, `${what} is not valid yet`);
  demand(iat === undefined || iat <= seconds + CLOCK_SKEW_SECONDS, `the iat of ${what} is in the future`);
}

/** Refuses a time of signing that is too long ago, five minutes by default (seconds). Throws `Refusal`. */
export function checkSignedJustNow({ iat }: JwtTimes, now: Date, what: string, maxAge = MAX_PRESENTATION_AGE): void {
  const oldest = now.getTime() / 1000 - maxAge;
  demand(iat === undefined || iat >= oldest, `the iat of ${what} is too far in the past`);
}

/** The times of a credential as dates, those it has. */
export function validity({ iat, exp }: JwtTimes): { readonly issuedAt?: Date; readonly expiresAt?: Date } {
  return {
    ...(iat !== undefined && { issuedAt: new Date(iat * 1000) }),
    ...(exp !== undefined && { expiresAt: new Date(exp * 1000) }),
  };
}

function readNumericDate(value: JsonValue | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  demand(typeof value === 'number' && Math.abs(value) <= LAST_DATE_SECONDS, `${name} is not a time in seconds`);
  return value;
}

/** Reads an RFC 3339 time of a W3C credential, in seconds as a NumericDate. Throws `Refusal`. */
export function readDateTime(value: JsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  const time = typeof value === 'string' && DATE_TIME.test(value) ? Date.parse(value) : NaN;
  demand(!Number.isNaN(time), 'a date of the credential is not an RFC 3339 time');
  return time / 1000;
}
