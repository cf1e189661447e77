const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

const pauses = [1 * minutes, 5 * minutes, 15 * minutes, 30 * minutes, 1 * hours, 2 * hours, 4 * hours, 8 * hours];
/** How long a mail is tried. */
const longest = 24 * hours;

/**
 * When to send a mail again.
 * @param attempts so far, one or more
 * @returns `undefined` when a day has passed since it was asked for
 */
export function nextAttempt(attempts: number, createdAt: Date, now: Date): Date | undefined {
  return within(createdAt, now, pauses[Math.min(attempts, pauses.length) - 1] ?? 1 * minutes);
}

/**
 * When to send the mail again with which the relay failed as such.
 * @param failures of the relay in a row, one or more
 */
export function nextOfRelay(failures: number, createdAt: Date, now: Date): Date | undefined {
  return within(createdAt, now, relayPause(failures));
}

/** When to look again at a mail of a tenant that sends nothing at present. */
export function nextLook(createdAt: Date, now: Date): Date | undefined {
  return within(createdAt, now, 5 * minutes);
}

/** Milliseconds for which nothing is sent to a relay that takes nothing. */
export function relayPause(failures: number): number {
  return Math.min(2 ** (failures - 1) * minutes, 10 * minutes);
}

function within(createdAt: Date, now: Date, pause: number): Date | undefined {
  const end = createdAt.getTime() + longest;
  return now.getTime() >= end ? undefined : new Date(Math.min(now.getTime() + pause, end));
}
