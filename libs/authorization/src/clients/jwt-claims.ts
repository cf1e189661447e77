import type { JsonValue } from '@app/primitives/json';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';

/** Characters of a `jti`; it is hashed before it is kept. */
const longestId = 512;

export function isText(value: JsonValue | undefined, longest = 2048): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

export function isTokenId(value: JsonValue | undefined): value is string {
  return isText(value, longestId);
}

/** Whether a time is there and has come. */
export function hasCome(time: JsonValue | undefined, now: Date): boolean {
  return typeof time === 'number' && time <= now.getTime() / 1000 + CLOCK_SKEW_SECONDS;
}

/** Whether a time is there and lies ahead. */
export function isAhead(time: JsonValue | undefined, now: Date): boolean {
  return typeof time === 'number' && time > now.getTime() / 1000 - CLOCK_SKEW_SECONDS;
}
