import { DatabaseClock } from './database-clock';

describe('the clock of the database between two readings', () => {
  const at = (milliseconds: number): Date => new Date(milliseconds);
  let now = Date.parse('2026-01-01T00:00:00.000Z');
  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00.000Z');
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  it('takes the answer to have been made halfway between question and arrival', () => {
    const clock = new DatabaseClock();
    clock.observe(at(now + 60_000), 10);
    expect(clock.now()).toEqual(at(now + 60_005));
    clock.observe(at(now), 5_000);
    expect(clock.now()).toEqual(at(now + 60_005));
    clock.correct(at(now), 5_000);
    expect(clock.now()).toEqual(at(now + 2_500));
  });

  it('stamps each thing later than the one before, also when it is set back a little', () => {
    const clock = new DatabaseClock();
    const stamps = [clock.stamp(), clock.stamp()];
    clock.observe(at(now - 20));
    stamps.push(clock.stamp());
    now += 500;
    stamps.push(clock.stamp());
    expect(stamps).toEqual([
      '2026-01-01T00:00:00.000000Z',
      '2026-01-01T00:00:00.000001Z',
      '2026-01-01T00:00:00.000002Z',
      '2026-01-01T00:00:00.480000Z',
    ]);
  });

  it('goes back with a clock of the database that was wrong', () => {
    const clock = new DatabaseClock();
    clock.observe(at(now + 3_600_000));
    clock.stamp();
    clock.observe(at(now));
    expect(clock.stamp()).toBe('2026-01-01T00:00:00.000000Z');
  });
});
