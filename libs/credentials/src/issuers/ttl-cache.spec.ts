import { TtlCache } from './ttl-cache';

const now = new Date('2027-06-30T12:00:00Z');
const later = now.getTime() + 60_000;

describe('a cache', () => {
  it('forgets what has expired', () => {
    const cache = new TtlCache<string>(10_000);
    cache.set('key', 'value', later, 5);
    expect(cache.get('key', new Date(later - 1))).toBe('value');
    expect(cache.get('key', new Date(later))).toBeUndefined();
  });

  it('holds as many values as there is room for, the newest ones', () => {
    const cache = new TtlCache<number>(10_000);
    for (let index = 0; index < 20; index++) cache.set(`key ${index}`, index, later, 1_000);
    const held = Array.from({ length: 20 }, (_, index) => cache.get(`key ${index}`, now)).filter(
      (one) => one !== undefined,
    );
    expect(held).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('counts keys as it counts values', () => {
    const cache = new TtlCache<number>(10_000);
    const key = (index: number): string => `https://host.example/${index}`.padEnd(2_000, 'x');
    for (let index = 0; index < 20; index++) cache.set(key(index), index, later, 0);
    const held = Array.from({ length: 20 }, (_, index) => cache.get(key(index), now)).filter(
      (one) => one !== undefined,
    );
    expect(held).toEqual([18, 19]);
  });

  it('holds nothing that is larger than itself, and leaves the others alone', () => {
    const cache = new TtlCache<number>(10_000);
    cache.set('small', 1, later, 0);
    cache.set('x'.repeat(5_000), 2, later, 0);
    expect(cache.get('small', now)).toBe(1);
    expect(cache.get('x'.repeat(5_000), now)).toBeUndefined();
  });

  it('counts a value that replaces another once', () => {
    const cache = new TtlCache<number>(3_000);
    cache.set('other', 0, later, 1_000);
    for (let index = 0; index < 10; index++) cache.set('key', index, later, 1_000);
    expect([cache.get('other', now), cache.get('key', now)]).toEqual([0, 9]);
  });
});
