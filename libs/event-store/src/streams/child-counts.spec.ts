import { ChildCounts } from './child-counts';
import type { Statement } from '../database/sql-driver';

/** Answers like the database: children have times, and a minute ago nothing can be added to any more. */
function database() {
  const children: { parent: string; at: number }[] = [];
  const clock = { now: 0 };
  const looks: number[] = [];
  const query = <T>({ values: [, parent, since] }: Statement): Promise<T[]> => {
    const from = since === '-infinity' ? -Infinity : Number(since);
    const until = clock.now - 60;
    const found = children.filter((child) => child.parent === parent && child.at > from);
    looks.push(found.length);
    const settled = found.filter(({ at }) => at <= until).length;
    return Promise.resolve([{ added: found.length, settled, until: String(until) }] as T[]);
  };
  const add = (parent: string, ...times: number[]): void => {
    for (const at of times) children.push({ parent, at });
  };
  return { add, clock, looks, counts: new ChildCounts({ query }, 'offer') };
}

describe('the number of children', () => {
  it('is counted once, and from then on by what came since', async () => {
    const { add, clock, looks, counts } = database();
    add('a', 1, 2, 3);
    clock.now = 100;
    expect(await counts.of('a')).toBe(3);
    add('a', 101);
    clock.now = 200;
    expect(await counts.of('a')).toBe(4);
    expect(await counts.of('a')).toBe(4);
    expect(looks).toEqual([3, 1, 0]);
  });

  it('includes what a slow transaction adds before the last check', async () => {
    const { add, clock, counts } = database();
    add('a', 90);
    clock.now = 100;
    expect(await counts.of('a')).toBe(1);
    add('a', 80);
    clock.now = 200;
    expect(await counts.of('a')).toBe(2);
  });

  it('is remembered for a bounded number of parents', async () => {
    const { add, clock, looks, counts } = database();
    add('a', 1);
    clock.now = 100;
    await counts.of('a');
    for (let other = 0; other < 1_000; other++) await counts.of(`other-${other}`);
    looks.length = 0;
    expect([await counts.of('a'), await counts.of('other-999')]).toEqual([1, 0]);
    expect(looks).toEqual([1, 0]);
  });
});
