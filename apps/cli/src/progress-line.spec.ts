import { barOf, ProgressLine, progressText } from './progress-line';

/** A stream that remembers, and a clock that is set by hand. */
function line(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const shown = new ProgressLine({ isTTY, write: (text: string) => written.push(text) > 0 }, () => now);
  const at = (milliseconds: number) => {
    now = milliseconds;
    return shown;
  };
  return { written, at };
}

describe('the progress of long work', () => {
  it('has the count, the share where the whole is known, the rate and the time that is left', () => {
    expect(progressText({ done: 12_000, of: 50_000, seconds: 1.5 })).toBe(
      '12,000 of about 50,000 (24 %), 8,000 a second, 5 s left',
    );
    expect(progressText({ done: 12_000, of: 1_000_000, seconds: 1.5 })).toMatch(/, 3 min left$/);
    expect(progressText({ done: 12, of: undefined, seconds: 0 })).toBe('12');
    expect(progressText({ done: 12, of: 10, seconds: 2 })).toBe('12, 6 a second');
  });

  it('does not count in the rate what an earlier run has done', () => {
    expect(progressText({ done: 12_000, of: undefined, begun: 10_000, seconds: 2 })).toBe('12,000, 1,000 a second');
  });

  it('has a bar where the whole is known', () => {
    expect(barOf({ done: 12, of: 50, seconds: 1 })).toBe('[####----------------] ');
    expect(barOf({ done: 12, of: 10, seconds: 1 })).toBe('');
  });

  it('is written to a terminal, again for other work, and taken away at the end', () => {
    const { written, at } = line(true);
    at(0).show('events', 1, 4);
    at(100).show('events', 2, 4);
    at(150).show('used values', 1, undefined);
    at(200).end();
    expect(written).toEqual([
      '\r\u001b[Kevents [#####---------------] 1 of about 4 (25 %)',
      '\r\u001b[Kused values 1',
      '\r\u001b[K',
    ]);
  });

  it('is a line every few seconds elsewhere, and none for work that takes no longer', () => {
    const { written, at } = line(false);
    for (let second = 0; second <= 11; second++) at(second * 1_000).show('events', second * 10, 200);
    at(11_000).end();
    expect(written).toEqual([
      'events: 50 of about 200 (25 %), 10 a second, 15 s left\n',
      'events: 100 of about 200 (50 %), 10 a second, 10 s left\n',
    ]);
  });
});
