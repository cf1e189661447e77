import { ProgressLine, progressText } from './progress-line';

describe('the progress of long work', () => {
  it('has the count, the share where the whole is known, and the rate', () => {
    expect(progressText('events', { done: 12_000, of: 50_000, seconds: 1.5 })).toBe(
      'events: 12,000 of about 50,000 (24 %), 8,000 a second',
    );
    expect(progressText('events', { done: 12, of: undefined, seconds: 0 })).toBe('events: 12');
    expect(progressText('events', { done: 12, of: 10, seconds: 0 })).toBe('events: 12');
  });

  it('is written to a terminal, again for other work, and taken away at the end', () => {
    const written: string[] = [];
    const line = new ProgressLine({ isTTY: true, write: (text: string) => written.push(text) > 0 });
    line.show('events', 1, undefined);
    line.show('events', 2, undefined);
    line.show('used values', 1, undefined);
    line.end();
    expect(written).toEqual(['\r\u001b[Kevents: 1', '\r\u001b[Kused values: 1', '\r\u001b[K']);
  });

  it('is not written elsewhere', () => {
    const written: string[] = [];
    const line = new ProgressLine({ isTTY: false, write: (text: string) => written.push(text) > 0 });
    line.show('events', 1, undefined);
    line.end();
    expect(written).toEqual([]);
  });
});
