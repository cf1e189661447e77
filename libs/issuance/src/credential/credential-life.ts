const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Times of issue and expiry. Verifiers must not be able to link a credential by its times (RFC 9901 §10.1, OpenID4VCI 1.0 §15.5): they are
 * cut to the UTC day; the end of a short life to the hour or minute.
 */
export function lifeOf(
  expiresAt: string | null,
  now: Date,
  isCut: boolean,
): { readonly issuedAt: Date; readonly expiresAt: Date | undefined } {
  const expiry = expiresAt === null ? undefined : new Date(expiresAt);
  if (!isCut) return { issuedAt: now, expiresAt: expiry };
  return { issuedAt: cutTo(day, now), expiresAt: expiry && cutAfter(now, expiry) };
}

/** What lives for less than a minute is not cut. */
function cutAfter(now: Date, expiry: Date): Date {
  return [day, hour, minute].map((unit) => cutTo(unit, expiry)).find((cut) => cut > now) ?? expiry;
}

function cutTo(unit: number, moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / unit) * unit);
}
