import { allThere, attempt, whenThere } from './awaitable';

describe('work with what may be there', () => {
  it('goes on at once where it is there, and with a promise where it is not', async () => {
    expect(whenThere(1, (one) => one + 1)).toBe(2);
    const later = whenThere(Promise.resolve(1), (one) => one + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
  });

  it('takes all at once where all are there, in their order in either case', async () => {
    expect(allThere([1, 2])).toEqual([1, 2]);
    expect(allThere([])).toEqual([]);
    expect(await allThere([1, Promise.resolve(2)])).toEqual([1, 2]);
    expect(await allThere([Promise.resolve(1)])).toEqual([1]);
    await expect(allThere([1, Promise.reject(new Error('no'))])).rejects.toThrow('no');
  });

  it('rejects with what it throws', async () => {
    const failing = (): number => {
      throw new Error('no');
    };
    await expect(attempt(failing)).rejects.toThrow('no');
    expect(attempt(() => 1)).toBe(1);
  });
});
