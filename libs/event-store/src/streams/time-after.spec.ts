import { timeAfter } from './time-after';

describe('the time after a stream was read', () => {
  const [earlier, later] = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-01-01T00:00:00.003Z')];

  it("is the database's, also for a new stream", () => {
    expect(timeAfter({ now: later, updatedAt: earlier })).toBe(later);
    expect(timeAfter({ now: later, updatedAt: undefined })).toBe(later);
  });

  it('is not before the last event, which may be stamped ahead of the clock', () => {
    expect(timeAfter({ now: earlier, updatedAt: later })).toBe(later);
  });
});
