/** @jest-environment node */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { handleOf, StreamCache } from './stream-cache';

const stream = (streamId: string, version = 1, state = '{"a":1}') => ({
  streamId,
  version,
  state,
  head: undefined,
  tx: '700',
  dataKey: undefined,
  createdAt: undefined,
  updatedAt: undefined,
});

describe('the streams that are kept', () => {
  it('come out as they went in, each time anew', () => {
    const kept = new StreamCache();
    kept.keep(stream('x'));
    const [first, second] = [kept.find('x'), kept.find('x')];
    expect(first).toEqual({
      head: undefined,
      tx: '700',
      record: expect.objectContaining({ version: 1, state: { a: 1 } }) as unknown,
    });
    expect(first?.record.state).not.toBe(second?.record.state);
    expect(kept.find('y')).toBeUndefined();
  });

  it('are parsed once when they are found again and again, and nobody can change them then', () => {
    const kept = new StreamCache();
    kept.keep(stream('x', 1, '{"a":{"b":[{}]}}'));
    for (let found = 0; found < 2; found++) kept.find('x');
    const bytes = kept.bytes;
    const state = kept.find('x')?.record.state as { a: { b: object[] } };
    expect(kept.bytes).toBe(bytes + 4 * 16);
    expect(kept.find('x')?.record.state).toBe(state);
    for (const part of [state, state.a, state.a.b, ...state.a.b]) expect(Object.isFrozen(part)).toBe(true);
    kept.keep(stream('x', 2, '{"a":{"b":[]}}'));
    expect(kept.find('x')?.record.state).toEqual({ a: { b: [] } });
    kept.forget('x');
    expect(kept.bytes).toBe(0);
  });

  it('are of the latest version that is known, in whatever order it comes', () => {
    const kept = new StreamCache();
    kept.keep(stream('x', 3));
    kept.keep(stream('x', 2));
    expect(kept.find('x')?.record.version).toBe(3);
    kept.forget('x');
    kept.keep(stream('x', 2));
    expect(kept.find('x')?.record.version).toBe(2);
    expect([kept.size, kept.bytes]).toEqual([1, 957]);
  });

  it('have an eighth of a small heap at most: those that were not used for the longest time go', () => {
    const kept = new StreamCache(8 * 95_700);
    for (let i = 0; i < 100; i++) kept.keep(stream(`s${i}`));
    expect(kept.size).toBe(100);
    kept.find('s0');
    kept.keep(stream('another'));
    expect([kept.size, kept.bytes]).toEqual([100, 95_700]);
    expect(kept.find('s0')).toBeDefined();
    expect(kept.find('s1')).toBeUndefined();
  });

  it('are forgotten when they were not used for a quarter of an hour', () => {
    jest.useFakeTimers();
    const kept = new StreamCache();
    for (const id of ['x', 'y']) kept.keep(stream(id));
    jest.advanceTimersByTime(14 * 60_000);
    kept.find('x');
    kept.forgetOld();
    expect(kept.size).toBe(2);
    jest.advanceTimersByTime(60_000);
    kept.forgetOld();
    expect([kept.find('y'), kept.bytes]).toEqual([undefined, 957]);
    expect(kept.find('x')).toBeDefined();
    jest.useRealTimers();
  });

  it('have 16 MiB at most, and none has more than a hundredth of that', () => {
    const kept = new StreamCache();
    const large = JSON.stringify('x'.repeat(160_000));
    for (let i = 0; i < 500; i++) kept.keep(stream(`s${i}`, 1, large));
    expect(kept.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(kept.bytes).toBe(kept.size * (950 + large.length));
    expect(kept.size).toBeGreaterThan(100);
    kept.keep(stream('s499', 2, JSON.stringify('x'.repeat(200_000))));
    expect(kept.find('s499')).toBeUndefined();
  });

  it('count each character of a text beyond Latin-1 twice', () => {
    const kept = new StreamCache();
    kept.keep(stream('x', 1, '"名"'));
    expect(kept.bytes).toBe(956);
  });

  it('are not kept for being read once two decisions in a row had no use for them, until they are written', () => {
    const kept = new StreamCache();
    const { state, ...record } = stream('x');
    const read = { streamId: 'x', record: { ...record, state: {} }, head: undefined, tx: '700', text: state };
    const times = { foldVersion: 1, now: new Date(), askedAt: 0, took: 0 };
    for (const isKept of [true, true, false]) {
      kept.keepRead({ ...read, ...times });
      expect(kept.find('x') !== undefined).toBe(isKept);
      kept.forgetUnused('x');
    }
    kept.keep(stream('x', 2));
    kept.forget('x');
    kept.keepRead({ ...read, ...times });
    expect(kept.find('x')).toBeDefined();
  });

  it('are found by ten thousand values at most, each before its end', () => {
    const kept = new StreamCache();
    const end = new Date('2026-01-01T00:00:00Z');
    for (let i = 0; i <= 10_000; i++) kept.bind(handleOf('h', `${i}`), { streamId: `s${i}`, expiresAt: end.getTime() });
    expect(kept.bound(handleOf('h', '0'), new Date(0))).toBeUndefined();
    expect(kept.bound(handleOf('h', '1'), new Date(end.getTime() - 1))).toBe('s1');
    expect(kept.bound(handleOf('h', '1'), end)).toBeUndefined();
    expect(kept.bound(handleOf('other', '1'), new Date(0))).toBeUndefined();
  });

  it('do not hold the memory in which their bytes arrived', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const buffers = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers / 2 ** 20;
    };
    const kept = new StreamCache();
    const before = buffers();
    for (let i = 0; i < 2_000; i++) {
      // As a driver makes them: views of a shared block of 8 KiB, in which much else is.
      const [head, dataKey] = [Buffer.from('ff'.repeat(33), 'hex'), Buffer.from('80'.repeat(60), 'hex')];
      kept.keep({ ...stream(`s${i}`), head, dataKey });
      for (let other = 0; other < 4; other++) Buffer.from('00'.repeat(2_000), 'hex');
    }
    expect(buffers() - before).toBeLessThan(4);
    expect(kept.find('s7')).toMatchObject({
      head: Buffer.alloc(33, 0xff),
      record: { dataKey: Buffer.alloc(60, 0x80) },
    });
  });

  it('are worth trying until a tenth was wrong lately, and once in fifty times after that', () => {
    const kept = new StreamCache();
    const tried = (): number => Array.from({ length: 100 }, () => kept.isWorthTrying()).filter(Boolean).length;
    for (let i = 0; i < 10; i++) kept.report(false);
    expect(tried()).toBe(100);
    for (let i = 0; i < 10; i++) kept.report(false);
    expect(tried()).toBe(2);
    for (let i = 0; i < 100; i++) kept.report(true);
    expect(tried()).toBe(100);
  });
});
