import { withinTime } from './bounded-check';

/** Time passes and the processor has nothing to do with it, as when other programs have it. */
function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}

describe('a check within bounds', () => {
  it('answers what the check answers', () => {
    expect([withinTime(() => true), withinTime(() => false)]).toEqual([true, false]);
  });

  it('is begun again when the machine gave it no time', () => {
    let begun = 0;
    const check = (): boolean => {
      if (begun++ === 0) stall();
      return true;
    };
    expect(withinTime(check)).toBe(true);
    expect(begun).toBe(2);
  });

  it('ends a check that never gets any time, after a second', () => {
    let begun = 0;
    const started = performance.now();
    const check = (): boolean => {
      begun++;
      stall();
      return true;
    };
    expect(() => withinTime(check)).toThrow('timed out');
    expect(begun).toBe(4);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('ends a check that has had its time, and does not begin it again', () => {
    let begun = 0;
    const endless = (): boolean => {
      begun++;
      for (;;);
    };
    // As on a machine that has nothing else to do.
    expect(() => withinTime(endless, () => begun * 250)).toThrow('timed out');
    expect(begun).toBe(1);
  });

  it('hands on what the check throws', () => {
    let begun = 0;
    const failing = (): boolean => {
      begun++;
      throw new Error('no such schema');
    };
    expect(() => withinTime(failing)).toThrow('no such schema');
    expect(begun).toBe(1);
  });
});
