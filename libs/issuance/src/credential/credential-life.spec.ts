import { lifeOf } from './credential-life';

const now = new Date('2026-11-20T13:14:15.678Z');

describe('the times of a credential', () => {
  it.each([
    ['to the day', '2026-12-20T13:14:15.678Z', '2026-12-20T00:00:00.000Z'],
    ['to the hour where the day has begun', '2026-11-20T18:19:20Z', '2026-11-20T18:00:00.000Z'],
    ['to the minute where the hour has begun', '2026-11-20T13:19:20Z', '2026-11-20T13:19:00.000Z'],
    ['not at all where the minute has begun', '2026-11-20T13:14:50.000Z', '2026-11-20T13:14:50.000Z'],
  ])('are cut %s', (_, expiresAt, cut) => {
    const life = lifeOf(expiresAt, now, true);
    expect(life.issuedAt.toISOString()).toBe('2026-11-20T00:00:00.000Z');
    expect(life.expiresAt?.toISOString()).toBe(cut);
  });

  it('are exact where they are not to be cut, and without end where there is none', () => {
    expect(lifeOf('2026-12-20T13:14:15.678Z', now, false)).toEqual({
      issuedAt: now,
      expiresAt: new Date('2026-12-20T13:14:15.678Z'),
    });
    expect(lifeOf(null, now, true).expiresAt).toBeUndefined();
  });
});
