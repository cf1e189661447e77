const day = 24 * 60 * 60 * 1000;

/**
 * Times of issue and expiry. The copies of a batch are for use at different verifiers and must not be linkable by
 * their times (OpenID4VCI 1.0 §15.5): they are cut to the UTC day, where the credential lives longer than that.
 */
export function lifeOf(
  expiresAt: string | null,
  now: Date,
  isBatch: boolean,
): { readonly issuedAt: Date; readonly expiresAt: Date | undefined } {
  const expiry = expiresAt === null ? undefined : new Date(expiresAt);
  if (!isBatch) return { issuedAt: now, expiresAt: expiry };
  const cutExpiry = expiry && startOfDay(expiry);
  return { issuedAt: startOfDay(now), expiresAt: cutExpiry && cutExpiry > now ? cutExpiry : expiry };
}

function startOfDay(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / day) * day);
}
