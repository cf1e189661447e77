import { type Standing, Standings } from './server-standing';

const primary: Standing = { standby: false, readOnly: false, cluster: 'a', timeline: 1 };

describe('a server of several', () => {
  it('is used when it takes writes', () => {
    const standings = new Standings('read-write');
    expect(standings.objection(primary)).toBeUndefined();
    expect(standings.objection({ ...primary, standby: true, readOnly: true, timeline: null })).toBe('a standby');
    expect(standings.objection({ ...primary, readOnly: true })).toBe('accepts no writes');
  });

  it('may be a primary that only reads, where a primary is wanted', () => {
    const standings = new Standings('primary');
    expect(standings.objection({ ...primary, readOnly: true })).toBeUndefined();
    expect(standings.objection({ ...primary, standby: true, timeline: null })).toBe('a standby');
  });

  it('is not used any more once another was promoted in its place', () => {
    const standings = new Standings('read-write');
    standings.saw({ ...primary, timeline: 3 });
    expect(standings.objection({ ...primary, timeline: 3 })).toBeUndefined();
    expect(standings.objection({ ...primary, timeline: 2 })).toMatch('promoted in its place');
    // A database that moved to a new cluster counts from the beginning.
    expect(standings.objection({ ...primary, cluster: 'b', timeline: 1 })).toBeUndefined();
    standings.saw({ ...primary, timeline: 2 });
    expect(standings.objection({ ...primary, timeline: 2 })).toMatch('promoted in its place');
  });
});
