const shortest = 5;
const longest = 3_600;

/**
 * Seconds after which a wallet asks again for a credential whose data is missing: a tenth of the time that it has waited, so
 * that one who waits for weeks does not ask every few seconds.
 */
export function pollingInterval(requestedAt: Date, now: Date): number {
  const waited = (now.getTime() - requestedAt.getTime()) / 1000;
  return Math.min(longest, Math.max(shortest, Math.round(waited / 10)));
}
