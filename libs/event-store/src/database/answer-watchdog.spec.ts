/** @jest-environment node */
import { WorkDroppedError } from '../errors';
import { AnswerWatchdog } from './answer-watchdog';

let probes: { resolve: () => void; reject: (error: Error) => void }[];
let silence: AnswerWatchdog;
beforeEach(() => {
  jest.useFakeTimers();
  probes = [];
  silence = new AnswerWatchdog(
    () =>
      new Promise((resolve, reject) => {
        probes.push({ resolve, reject });
      }),
  );
});
afterEach(() => {
  silence.stop();
  jest.useRealTimers();
});

describe('the silence of the database', () => {
  it('is noticed after three seconds without any answer, and ends with the first one', async () => {
    let noticed = 0;
    silence.onNoticed(() => noticed++);
    silence.began();
    await jest.advanceTimersByTimeAsync(2_500);
    expect(probes).toHaveLength(1);
    expect(silence.duration).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(noticed).toBe(1);
    expect(silence.duration).toBeGreaterThanOrEqual(3_000);
    expect(() => {
      silence.refuse();
    }).toThrow(WorkDroppedError);
    probes[0]?.reject(new Error('late'));
    await jest.advanceTimersByTimeAsync(500);
    expect(probes).toHaveLength(2);
    probes[1]?.resolve();
    await jest.advanceTimersByTimeAsync(0);
    expect(silence.duration).toBeUndefined();
    expect(noticed).toBe(1);
  });

  it('is none while other statements are answered, or while the question is', async () => {
    silence.began();
    for (let i = 0; i < 10; i++) {
      await jest.advanceTimersByTimeAsync(1_000);
      silence.ended(silence.began(), true);
    }
    expect(probes).toEqual([]);
    for (let i = 0; i < 20; i++) {
      await jest.advanceTimersByTimeAsync(500);
      for (const { resolve } of probes) resolve();
    }
    expect(silence.duration).toBeUndefined();
  });

  it('is also detected when connections fail, and not without requests', async () => {
    await jest.advanceTimersByTimeAsync(60_000);
    expect(silence.duration).toBeUndefined();
    expect(probes).toEqual([]);
    silence.ended(silence.began(), false);
    await jest.advanceTimersByTimeAsync(3_500);
    expect(silence.duration).toBeGreaterThan(3_000);
  });
});
