import { FairQueue } from './fair-queue';

const owner = (caller: string, subject = 'a') => ({ caller, subject });

/** Begins all of it at once; in what order it was begun. */
async function order(queue: FairQueue, ...owners: ReturnType<typeof owner>[]): Promise<string[]> {
  const begun: string[] = [];
  const work = ({ caller, subject }: ReturnType<typeof owner>) =>
    queue.run({ caller, subject }, async () => {
      begun.push(`${caller} ${subject}`);
      await new Promise(setImmediate);
    });
  await Promise.all(owners.map(work));
  return begun;
}

describe('long work', () => {
  it('takes turns between callers, however much each requests', async () => {
    const [one, two, three] = [owner('one'), owner('two'), owner('three')];
    expect(await order(new FairQueue(1), one, one, one, two, two, three)).toEqual([
      'one a',
      'two a',
      'three a',
      'one a',
      'two a',
      'one a',
    ]);
  });

  it('of one caller takes turns by subject', async () => {
    const [a, b] = [owner('one'), owner('one', 'b')];
    expect(await order(new FairQueue(1), a, a, a, b, b)).toEqual(['one a', 'one b', 'one a', 'one b', 'one a']);
  });

  it('of one caller is done one at a time, however much can be', async () => {
    const queue = new FairQueue(3);
    let [now, most] = [0, 0];
    const work = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
    };
    await Promise.all([1, 2, 3, 4].map(() => queue.run(owner('one'), work)));
    expect(most).toBe(1);
    await Promise.all(['one', 'two', 'three', 'four'].map((caller) => queue.run(owner(caller), work)));
    expect(most).toBe(3);
  });

  it('answers what it answers, and fails as it fails', async () => {
    const queue = new FairQueue(1);
    await expect(queue.run(owner('one'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run(owner('one'), () => Promise.resolve(1))).toBe(1);
  });

  it('is refused when too much of one caller waits, and goes on for others', async () => {
    const queue = new FairQueue(1);
    let goOn = (): void => undefined;
    const first = queue.run(owner('one'), () => new Promise<void>((resolve) => (goOn = resolve)));
    const many = Array.from({ length: 501 }, () => queue.run(owner('one'), () => Promise.resolve()));
    const other = queue.run(owner('two'), () => Promise.resolve('done'));
    goOn();
    const refused = (await Promise.allSettled([first, ...many])).filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { slug: 'unavailable', status: 503, headers: { 'Retry-After': '2' } } }]);
    expect(await other).toBe('done');
    expect(await queue.run(owner('one'), () => Promise.resolve('again'))).toBe('again');
  });
});
