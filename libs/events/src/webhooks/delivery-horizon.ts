const day = 24 * 60 * 60 * 1000;

/** The time to which deliveries are kept, and events can be sent again. */
export function deliveryHorizon(now: Date, retentionDays: number): Date {
  return new Date(now.getTime() - retentionDays * day);
}
