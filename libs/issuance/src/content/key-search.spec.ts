import { KeySearch } from './key-search';

const never = (): Promise<string> => new Promise(() => undefined);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a search for keys', () => {
  afterEach(() => jest.useRealTimers());

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
    jest.useFakeTimers();
    const search = new KeySearch<string>(30);
    expect(await search.find('known', () => Promise.resolve('key'))).toBe('key');
    const wait = (names: readonly string[]) => Promise.all(names.map((name) => search.find(name, never)));
    const first = wait(['a', 'b', 'c']);
    await jest.advanceTimersByTimeAsync(20);
    const later = wait(['d', 'e', 'f', 'g', 'h', 'i']);
    await jest.advanceTimersByTimeAsync(10);
    expect([...(await first), ...(await later)]).toEqual(Array.from({ length: 9 }, () => undefined));
    const look = jest.fn(() => Promise.resolve('key'));
    const late = new KeySearch<string>(0).find('late', look);
    await jest.advanceTimersByTimeAsync(0);
    expect(await late).toBeUndefined();
    expect(look).not.toHaveBeenCalled();
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
