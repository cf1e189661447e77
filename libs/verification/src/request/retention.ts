import { isDuration, lastsAtMost } from '@app/primitives/time';

const mostDays = 36_600;

export const requestRetentionMessage = `must be keep or an ISO 8601 duration of at most ${mostDays} days, for example PT1H`;

/** How long what was asked and presented is kept after the end of the request. */
export function isRequestRetention(value: unknown): boolean {
  return value === 'keep' || (isDuration(value) && lastsAtMost(value, mostDays));
}
