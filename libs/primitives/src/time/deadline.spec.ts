/** @jest-environment node */
import { Deadline, onEnd } from './deadline';

describe('a deadline', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('ends once its time has passed, for everything that waits', () => {
    const deadline = new Deadline(1_000);
    const ended: string[] = [];
    onEnd(deadline, () => ended.push('one'));
    onEnd(deadline, () => ended.push('another'));
    onEnd(deadline, () => ended.push('cancelled'))();
    jest.advanceTimersByTime(999);
    expect([deadline.left, ended]).toEqual([1, []]);
    jest.advanceTimersByTime(1);
    expect([deadline.left, deadline.hasPassed, ended]).toEqual([0, true, ['one', 'another']]);
  });

  it.each([
    ['before it has passed', 500],
    ['after it has passed', 5_000],
  ])('gives the whole time again when it is restarted %s', (_when, milliseconds) => {
    const deadline = new Deadline(1_000);
    jest.advanceTimersByTime(milliseconds);
    deadline.restart();
    const work = jest.fn();
    onEnd(deadline, work);
    jest.advanceTimersByTime(999);
    expect(deadline.left).toBe(1);
    expect(work).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(deadline.left).toBe(0);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('stays ended when the client disconnected before it was restarted', () => {
    const deadline = new Deadline(1_000);
    deadline.end();
    deadline.restart();
    expect([deadline.left, deadline.hasPassed]).toEqual([0, false]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps no timer once the answer is out', () => {
    new Deadline(1_000).release();
    expect(jest.getTimerCount()).toBe(0);
  });
});
