import { pollingInterval } from './polling-interval';

const requestedAt = new Date('2026-11-20T10:00:00Z');

describe('the interval at which a wallet asks for a credential', () => {
  it.each([
    [0, 5],
    [-3, 5],
    [60, 6],
    [3_600, 360],
    [30 * 24 * 3_600, 3_600],
  ])('after a wait of %d s is %d s', (waited, seconds) => {
    expect(pollingInterval(requestedAt, new Date(requestedAt.getTime() + waited * 1000))).toBe(seconds);
  });
});
