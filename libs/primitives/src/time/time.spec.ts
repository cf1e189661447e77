import fc from 'fast-check';
import { durationPattern, isDuration, lastsAtMost, plusDuration } from './duration';
import { isDateTime, wholeSeconds } from './date-time';

describe('durations', () => {
  it.each(['P90D', 'PT24H', 'P1Y6M', 'P4W', 'PT0.5S'])('accepts %s', (text) => {
    expect(isDuration(text)).toBe(true);
  });

  it.each([
    '',
    'P',
    'PT',
    '90D',
    'P0D',
    'P-1D',
    '-P1D',
    'never',
    'P1X',
    'P1M-29D',
    'P+1D',
    'p1d',
    'PT1,5H',
    90,
    null,
    'P' + '9'.repeat(80) + 'D',
  ])('refuses %p', (text) => {
    expect(isDuration(text)).toBe(false);
  });

  it('have the form that the pattern for schemas says', () => {
    const made = fc.stringMatching(new RegExp(durationPattern)).filter(({ length }) => length <= 64);
    // What is shorter than a millisecond is none.
    const lasts = made.filter((text) => /[1-9]/.test(text.replace(/[.,][0-9]*/g, '')));
    fc.assert(fc.property(lasts, isDuration));
    fc.assert(fc.property(fc.string(), (text) => !isDuration(text)));
  });

  it.each([
    ['2027-01-31T10:00:00Z', 'P1M', '2027-02-28T10:00:00.000Z'],
    ['2028-01-31T10:00:00Z', 'P1M', '2028-02-29T10:00:00.000Z'],
    ['2027-03-31T10:00:00Z', 'P1M', '2027-04-30T10:00:00.000Z'],
    ['2028-02-29T10:00:00Z', 'P1Y', '2029-02-28T10:00:00.000Z'],
    ['2028-02-29T10:00:00Z', 'P4Y', '2032-02-29T10:00:00.000Z'],
    ['2096-02-29T10:00:00Z', 'P4Y', '2100-02-28T10:00:00.000Z'],
    ['2028-02-28T10:00:00Z', 'P1D', '2028-02-29T10:00:00.000Z'],
    ['2027-12-31T23:59:59.999Z', 'PT0.001S', '2028-01-01T00:00:00.000Z'],
    // Years and months first, then days and hours.
    ['2028-01-30T23:00:00Z', 'P1M1DT1H', '2028-03-02T00:00:00.000Z'],
  ])('count by the calendar, and end on the last day when a month is shorter: %s plus %s', (from, duration, end) => {
    expect(plusDuration(new Date(from), duration).toISOString()).toBe(end);
  });

  it.each([
    ['P90D', 90, true],
    ['PT2160H', 90, true],
    ['PT2160H0.001S', 90, false],
    ['P12W6D', 90, true],
    ['P2M28D', 90, true],
    ['P2M29D', 90, false],
    // Whether three months are 89 or 92 days depends on the day of the question.
    ['P3M', 90, false],
    ['P1Y', 366, true],
    ['P1Y', 365, false],
    ['P1M', 7, false],
    ['P9999999Y', 90, false],
  ])('%s lasts at most %d days, whenever it begins: %p', (duration, days, expected) => {
    expect(lastsAtMost(duration, days)).toBe(expected);
  });

  it('are days of 24 hours, whatever the time zone of the machine', () => {
    // Clocks were put forward on 28 March 2027 in Europe.
    expect(plusDuration(new Date('2027-03-27T12:00:00Z'), 'P1D').toISOString()).toBe('2027-03-28T12:00:00.000Z');
  });
});

describe('date-times', () => {
  it.each([
    '2026-11-20T10:00:00Z',
    '2026-01-01t00:00:00z',
    '2028-02-29T23:59:59.5+05:30',
    '2000-02-29T00:00:00Z',
    '2030-01-01T00:00:00-00:00',
    '2030-01-01T00:00:00+23:59',
    '2030-01-01T00:00:00.123456789Z',
    '0001-01-01T00:00:00Z',
    '0000-12-31T23:30:00-01:00',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59+01:00',
  ])('accepts %s', (text) => {
    expect(isDateTime(text)).toBe(true);
  });

  it.each([
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-11-20T10:00Z',
    '2026-11-20 10:00:00Z',
    ' 2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00Z\n',
    '2026-11-20T10:00:00,5Z',
    '2026-11-20T10:00:00.Z',
    '2026-11-20T10:00:00+0100',
    '2026-11-20T10:00:00+24:00',
    '2027-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-00-20T10:00:00Z',
    '2026-13-20T10:00:00Z',
    '2026-11-31T10:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2030-06-30T23:59:60Z',
    '2016-12-31T23:59:60Z',
    '+002030-01-01T00:00:00Z',
    '2030-W01-1T00:00:00Z',
    '2030-001T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.5Z',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    'never',
    1,
    null,
  ])('refuses %p', (text) => {
    expect(isDateTime(text)).toBe(false);
  });

  it('writes whole seconds in UTC', () => {
    expect(wholeSeconds(new Date('2026-11-20T10:00:00.987Z'))).toBe('2026-11-20T10:00:00Z');
  });
});
