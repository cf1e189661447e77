import { DateTime, Duration } from 'luxon';

const whole = '[0-9]{1,20}';
const part = (letter: string): string => `(${whole}(\\.${whole})?${letter})?`;

/**
 * The form of an ISO 8601 duration for JSON Schema, of which one digit has to be another than 0. No part has a sign: that of
 * the whole would depend on the calendar, as P1M-30D leads back from February and forward from March.
 */
export const durationPattern = `^P${['Y', 'M', 'W', 'D'].map(part).join('')}(T${part('H')}${part('M')}(${whole}([.,]${whole})?S)?)?$`;
export const longestDurationText = 64;
const form = new RegExp(durationPattern);

/** Whether `text` is a positive ISO 8601 duration such as `P90D`, `PT24H` or `P1Y6M`; none of its parts has a sign. */
export function isDuration(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > longestDurationText || !form.test(text)) return false;
  const duration = Duration.fromISO(text);
  return duration.isValid && duration.toMillis() > 0;
}

/**
 * Whether a duration lasts at most so many days of 24 hours from any moment on: a month counts 31 days and a year
 * 366, so that the answer does not depend on the day of the question.
 */
export function lastsAtMost(duration: string, days: number): boolean {
  const { years, months, weeks, ...rest } = Duration.fromISO(duration).toObject();
  const longestDays = 366 * (years ?? 0) + 31 * (months ?? 0) + 7 * (weeks ?? 0);
  return Duration.fromObject(rest).plus({ days: longestDays }).as('days') <= days;
}

/** The moment a duration after `from`, by the UTC calendar: 31 January plus `P1M` is the last day of February. */
export function plusDuration(from: Date, duration: string): Date {
  const parts = Duration.fromISO(duration);
  // Only months and years have no fixed length.
  if (parts.years === 0 && parts.months === 0) return new Date(from.getTime() + parts.toMillis());
  return DateTime.fromJSDate(from, { zone: 'utc' }).plus(parts).toJSDate();
}
