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

describe('the latest time that the database can have', () => {
  let clock: DatabaseClock;
  /** The clocks of this process: since its start, and of the day. */
  let steady: number;
  let ofDay: number;
  const noon = Date.parse('2026-01-01T12:00:00Z');

  beforeEach(() => {
    clock = new DatabaseClock();
    [steady, ofDay] = [1_000_000, noon - 7_200_000];
    jest.spyOn(performance, 'now').mockImplementation(() => steady);
    jest.spyOn(Date, 'now').mockImplementation(() => ofDay);
  });
  afterEach(() => jest.restoreAllMocks());

  const pass = (milliseconds: number): void => {
    steady += milliseconds;
    ofDay += milliseconds;
  };

  it('is no earlier than its clock, which was read at some time between question and answer', () => {
    // Asked 100 ms ago, and read then.
    clock.observe(new Date(noon), 100);
    expect(clock.latest()?.getTime()).toBeGreaterThanOrEqual(noon + 100);
    pass(3_000);
    expect(clock.latest()?.getTime()).toBeGreaterThanOrEqual(noon + 3_100);
    expect(clock.latest()?.getTime()).toBeLessThan(noon + 3_110);
  });

  it('counts from the question, however late the answer is looked at', () => {
    const asked = steady;
    pass(400);
    clock.observe(new Date(noon), 10, asked);
    expect(clock.latest()?.getTime()).toBeGreaterThanOrEqual(noon + 400);
  });

  it('is unknown before the first answer, after a slow one, and five seconds after the last', () => {
    expect(clock.latest()).toBeUndefined();
    clock.observe(new Date(noon), 10);
    expect(clock.latest()).toBeDefined();
    pass(5_001);
    expect(clock.latest()).toBeUndefined();
    clock.observe(new Date(noon), 10);
    clock.observe(new Date(noon), 300);
    expect(clock.latest()).toBeUndefined();
  });

  it.each([
    ['is set forward', 0, 60_000],
    ['is set back', 0, -60_000],
    ['stands while the day goes on, as in a machine that was suspended', 10, 3_600_000],
  ])('is unknown when one clock of this process %s', (_what, bySteady, byDay) => {
    clock.observe(new Date(noon), 10);
    steady += bySteady;
    ofDay += byDay;
    expect(clock.latest()).toBeUndefined();
  });
});
