import { isDateTime, isDuration, plusDuration, wholeSeconds } from './index';

describe('durations', () => {
  it.each(['P90D', 'PT24H', 'P1Y6M', 'P4W', 'PT0.5S'])('accepts %s', (text) => {
    expect(isDuration(text)).toBe(true);
  });

  it.each(['', 'P', 'PT', '90D', 'P0D', 'P-1D', '-P1D', 'never', 'P1X', 90, null, 'P' + '9'.repeat(80) + 'D'])(
    'refuses %p',
    (text) => {
      expect(isDuration(text)).toBe(false);
    },
  );

  it('counts months by the calendar and ends on the last day when the month is shorter', () => {
    expect(plusDuration(new Date('2027-01-31T10:00:00Z'), 'P1M').toISOString()).toBe('2027-02-28T10:00:00.000Z');
    expect(plusDuration(new Date('2028-02-29T10:00:00Z'), 'P1Y').toISOString()).toBe('2029-02-28T10:00:00.000Z');
  });
});

describe('date-times', () => {
  it.each(['2026-11-20T10:00:00Z', '2028-02-29T23:59:59.5+05:30', '9999-12-31T23:59:59Z', '2026-01-01t00:00:00z'])(
    'accepts %s',
    (text) => {
      expect(isDateTime(text)).toBe(true);
    },
  );

  it.each([
    '2026-11-20',
    '2027-02-29T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:00:00',
    'never',
    1,
    '9999-12-31T23:59:59-01:00',
  ])('refuses %p', (text) => {
    expect(isDateTime(text)).toBe(false);
  });

  it('writes whole seconds in UTC', () => {
    expect(wholeSeconds(new Date('2026-11-20T10:00:00.987Z'))).toBe('2026-11-20T10:00:00Z');
  });
});
