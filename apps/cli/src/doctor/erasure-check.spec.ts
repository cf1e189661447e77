import { judgeErasures } from './erasure-check';

describe('erasures', () => {
  it.each([
    ['ok', 0],
    ['ok', 3_600],
    ['warn', 3_601],
  ])('are %s when the oldest has been due for %d s', (outcome, overdue) => {
    expect(judgeErasures(overdue)).toMatchObject({ check: 'erasures', outcome });
  });
});
