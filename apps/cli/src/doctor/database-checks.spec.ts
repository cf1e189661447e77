import { judgeClock, judgeConnections, judgeVersion } from './database-checks';

describe('the clock of the database', () => {
  it.each([
    ['ok', 0],
    ['ok', 2_000],
    ['ok', -2_000],
    ['warn', 2_001],
    ['warn', -30_000],
    ['fail', 30_001],
    ['fail', -3_600_000],
  ])('is %s when it differs by %d ms', (outcome, difference) => {
    expect(judgeClock(difference)).toMatchObject({ check: 'clock', outcome });
  });

  it('is reported with its direction', () => {
    expect(judgeClock(3_000).found).toBe('the database is 3.0 s ahead of this machine');
    expect(judgeClock(-45_000).found).toBe('the database is 45.0 s behind this machine');
  });
});

describe('the version of the database', () => {
  it.each([
    ['fail', '12.22', 12],
    ['warn', '13.23', 13],
    ['ok', '14.20', 14],
    ['ok', '18.4', 18],
  ])('is %s when it is %s', (outcome, version, major) => {
    expect(judgeVersion('postgres', version, major)).toMatchObject({ outcome, check: 'database' });
  });
});

describe('the connections of the database', () => {
  it.each([
    ['ok', 10],
    ['warn', 9],
    ['warn', 0],
  ])('are %s when %d are free', (outcome, free) => {
    expect(judgeConnections(free, 97)).toMatchObject({ outcome, found: expect.stringContaining(`${free} of 97`) });
  });
});
