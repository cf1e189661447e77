import { claimsRetention, erasureAfterIssue, parseRetention, type Retention, retentionText } from './retention';

describe('the retention of a template', () => {
  it.each<[string, Retention | undefined]>([
    ['keep', undefined],
    ['untilIssued', 'untilIssued'],
    ['P90D', { after: 'P90D' }],
    ['PT1S', { after: 'PT1S' }],
    ['P100Y', { after: 'P100Y' }],
  ])('%s is read, and written as it is kept', (text, retention) => {
    expect([claimsRetention.allows(text), parseRetention(text)]).toEqual([true, retention]);
    expect(retentionText(retention)).toBe(text);
  });

  it.each(['Keep', 'never', '', 'P0D', '-P1D', 'P101Y', '90 days', '2030-01-01T00:00:00Z', 90, null])(
    '%s is none',
    (text) => {
      expect(claimsRetention.allows(text)).toBe(false);
    },
  );

  it('ends after its duration, or ten minutes after the issue: a wallet may have lost the answer', () => {
    const issuedAt = new Date('2026-01-31T10:00:00Z');
    expect(erasureAfterIssue({ after: 'P1M' }, issuedAt)).toEqual(new Date('2026-02-28T10:00:00Z'));
    expect(erasureAfterIssue('untilIssued', issuedAt)).toEqual(new Date('2026-01-31T10:10:00Z'));
  });
});
