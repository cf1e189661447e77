const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Times of issue and expiry. The copies of a batch are for use at different verifiers and must not be linkable by
 * their times (OpenID4VCI 1.0 §15.5): they are cut to the UTC day; the end of a short life to the hour or minute.
 */
export function lifeOf(
  expiresAt: string | null,
  now: Date,
  isBatch: boolean,
): { readonly issuedAt: Date; readonly expiresAt: Date | undefined } {
  const expiry = expiresAt === null ? undefined : new Date(expiresAt);
  if (!isBatch) return { issuedAt: now, expiresAt: expiry };
  return { issuedAt: cutTo(day, now), expiresAt: expiry && cutAfter(now, expiry) };
}

/** What lives for less than a minute is not cut. */
function cutAfter(now: Date, expiry: Date): Date {
  return [day, hour, minute].map((unit) => cutTo(unit, expiry)).find((cut) => cut > now) ?? expiry;
}

function cutTo(unit: number, moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / unit) * unit);
}
