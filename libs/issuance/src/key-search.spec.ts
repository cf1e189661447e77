import { KeySearch } from './key-search';

const never = (): Promise<string> => new Promise(() => undefined);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a search for keys', () => {
  it('asks once for each name, also for what is not there', async () => {
    const search = new KeySearch<string>();
    const asked: string[] = [];
    const find = (name: string, key?: string) =>
      search.find(name, () => {
        asked.push(name);
        return Promise.resolve(key);
      });
    expect(await Promise.all([find('a', 'key of a'), find('a', 'another'), find('b')])).toEqual([
      'key of a',
      'key of a',
      undefined,
    ]);
    expect(await find('b', 'late')).toBeUndefined();
    expect(asked).toEqual(['a', 'b']);
  });

  it('ends the wait for all lookups together, and begins none afterwards', async () => {
    const search = new KeySearch<string>(30);
    expect(await search.find('known', () => Promise.resolve('key'))).toBe('key');
    const waits = Array.from({ length: 50 }, (_, index) => search.find(String(index), never));
    expect(await Promise.all(waits)).toEqual(waits.map(() => undefined));
    let isAsked = false;
    const late = new KeySearch<string>(0);
    const look = () => {
      isAsked = true;
      return Promise.resolve('key');
    };
    expect(await late.find('late', look)).toBeUndefined();
    expect(isAsked).toBe(false);
    // What was found before is found without waiting.
    expect(await search.find('known', never)).toBe('key');
  });

  it('has eight lookups under way at most', async () => {
    const search = new KeySearch<string>(60_000);
    let underWay = 0;
    const answers: (() => void)[] = [];
    const look = (): Promise<string> => {
      underWay++;
      return new Promise((resolve) =>
        answers.push(() => {
          underWay--;
          resolve('key');
        }),
      );
    };
    const all = Array.from({ length: 20 }, (_, index) => search.find(String(index), look));
    const seen: number[] = [];
    while (answers.length > 0) {
      seen.push(underWay);
      answers.shift()?.();
      await turn();
    }
    expect(Math.max(...seen)).toBe(8);
    expect(await Promise.all(all)).toEqual(all.map(() => 'key'));
  });

  it('passes on a fault of the software', async () => {
    const search = new KeySearch<string>();
    await expect(search.find('a', () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
  });
});
