import { DateTime } from 'luxon';

/** The last moment a credential may name as its expiry. */
export const latestDateTime = new Date('9999-12-31T23:59:59Z');

// What comes before is year 0 or a year BC, which PostgreSQL does not read from such a text.
const earliestDateTime = new Date('0001-01-01T00:00:00Z');

// No second 60: the leap seconds that were are over, none is announced (RFC 3339 §5.7), and no clock here could show it.
const withinYear =
  '-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
  '[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$';
const rfc3339 = new RegExp(`^[0-9]{4}${withinYear}`);
/** The form of an RFC 3339 date-time for JSON Schema: from year 1 on. */
export const dateTimePattern = `^([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)${withinYear}`;

/** Whether `text` is an RFC 3339 date-time of a day that exists, from year 1 on and not later than {@link latestDateTime}. */
export function isDateTime(text: unknown): text is string {
  if (typeof text !== 'string' || !rfc3339.test(text)) return false;
  const moment = DateTime.fromISO(text.toUpperCase());
  if (!moment.isValid) return false;
  return earliestDateTime.getTime() <= moment.toMillis() && moment.toMillis() <= latestDateTime.getTime();
}

/** RFC 3339 in UTC without fractions, as credentials carry it: `2026-01-31T12:00:00Z`. */
export function wholeSeconds(moment: Date): string {
  return moment.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
