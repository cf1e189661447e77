import { holdAfter, pauseAfter, wishIn } from './schedule';

const minute = 60_000;
const hour = 60 * minute;
const now = new Date('2027-06-30T12:00:00Z');

describe('the pause after a failed attempt', () => {
  it('grows from seconds to hours, and ends after ten repetitions', () => {
    const pauses = Array.from({ length: 11 }, (_, attempt) => pauseAfter(attempt + 1, 0));
    const all = [5_000, 30_000, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour];
    expect(pauses).toEqual([...all, undefined]);
  });

  it('is up to a fifth longer, by chance', () => {
    expect([pauseAfter(6, 0), pauseAfter(6, 0.5), pauseAfter(6, 1)]).toEqual([hour, 66 * minute, 72 * minute]);
  });

  it('is as long as the receiver wants, up to twelve hours, but never shorter than usual', () => {
    expect(pauseAfter(1, 0, hour)).toBe(hour);
    expect(pauseAfter(1, 0, 100 * hour)).toBe(12 * hour);
    expect(pauseAfter(6, 0, minute)).toBe(hour);
  });
});

describe('a receiver that fails', () => {
  it('is left alone from the fifth failure in a row on, at most ten minutes at a time', () => {
    expect([1, 4, 5, 6, 12, 100].map((failures) => holdAfter(failures, 0))).toEqual([
      ...[0, 0, 5_000, 10_000, 10 * minute, 10 * minute],
    ]);
  });

  it('is left alone at once for as long as it wants', () => {
    expect(holdAfter(1, 0, hour)).toBe(hour);
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 2 * minute],
    ['Wed, 30 Jun 2027 12:05:00 GMT', 5 * minute],
    ['Wed, 30 Jun 2027 11:00:00 GMT', 0],
    ['soon', 0],
    [undefined, 0],
  ])('%s is read', (header, wish) => {
    expect(wishIn(header, now)).toBe(wish);
  });
});
