const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Milliseconds between one attempt and the next: ten repetitions within some 28 hours. */
const pauses = [
  ...[5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 30 * minutes],
  ...[1 * hours, 2 * hours, 4 * hours, 8 * hours, 12 * hours],
];
/** The share by which a pause is longer at most: receivers that failed together are not called together. */
const jitter = 0.2;
/** What a receiver may ask for with `Retry-After`. */
const longestWish = 12 * hours;
/** Failures in a row, of whatever events, after which the whole receiver is left alone for a while. */
const tolerated = 5;
const longestHold = 10 * minutes;
/** How long every attempt has failed before a webhook is paused. */
export const givenUpAfter = 24 * hours;
/** And how many of them there have been. */
export const givenUpFailures = 10;

/**
 * When to send an event again.
 * @param attempts so far, one or more
 * @param random 0 to 1
 * @param wish milliseconds that the receiver asked for
 * @returns milliseconds; `undefined` when that was the last attempt
 */
export function pauseAfter(attempts: number, random: number, wish = 0): number | undefined {
  const pause = pauses[attempts - 1];
  return pause === undefined ? undefined : Math.max(spread(pause, random), Math.min(wish, longestWish));
}

/**
 * How long to send nothing at all to a receiver.
 * @param failures in a row
 * @returns milliseconds; 0 while its failures concern single events
 */
export function holdAfter(failures: number, random: number, wish = 0): number {
  const hold = failures < tolerated ? 0 : Math.min(5 * seconds * 2 ** (failures - tolerated), longestHold);
  return Math.max(spread(hold, random), Math.min(wish, longestWish));
}

/** Milliseconds in a `Retry-After` header (RFC 9110 §10.2.3); 0 for one that cannot be read. */
export function wishIn(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * seconds;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}

function spread(pause: number, random: number): number {
  return Math.round(pause * (1 + jitter * random));
}
