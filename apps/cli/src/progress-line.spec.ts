import { barOf, ProgressLine, progressText } from './progress-line';

/** A stream that remembers, and a clock that is set by hand. */
function line(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  let now = 0;
  const shown = new ProgressLine(
    { isTTY, ...(columns !== undefined && { columns }), write: (text: string) => written.push(text) > 0 },
    () => now,
  );
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

  it('never wraps on a terminal, where a second line would stay', () => {
    const shownOn = (columns?: number): string | undefined => {
      const { written, at } = line(true, columns);
      at(0).show('events and states', 0, 1_000_000);
      at(9_000).show('events and states', 120_000, 1_000_000);
      return written.at(-1)?.slice('\r\u001b[K'.length);
    };
    expect(shownOn(120)).toBe(
      'events and states [##------------------] 120,000 of about 1,000,000 (12 %), 13,333 a second, 66 s left',
    );
    expect(shownOn()).toBe('events and states [##------------------] 12 %, 66 s left');
    expect(shownOn(30)).toBe('events and states [##--------');
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
