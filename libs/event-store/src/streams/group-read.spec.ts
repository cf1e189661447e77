import { inTenant } from '@app/primitives/context';
import { Deadline } from '@app/primitives/time';
import { GroupRead } from './group-read';

/** A database that answers on demand; every key but `unknown` is found as its own capital letters. */
function heldBack() {
  const asked: (readonly string[])[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const reads = new GroupRead<string>((keys) => {
    asked.push(keys);
    return new Promise((resolve, reject) => {
      const found = keys.filter((key) => key !== 'unknown').map((key) => [key, key.toUpperCase()] as const);
      answers.push({
        resolve: () => {
          resolve(new Map(found));
        },
        reject,
      });
    });
  });
  return { reads, asked, answers };
}

describe('a group of reads', () => {
  it('lets two go at once and those that arrive meanwhile go together', async () => {
    const { reads, asked, answers } = heldBack();
    const results = Promise.all(['a', 'b', 'c', 'd', 'c', 'unknown'].map((key) => reads.read(key)));
    expect(asked).toEqual([['a'], ['b']]);
    answers[0]?.resolve();
    await new Promise(setImmediate);
    expect(asked).toEqual([['a'], ['b'], ['c', 'd', 'unknown']]);
    answers[1]?.resolve();
    answers[2]?.resolve();
    await expect(results).resolves.toEqual(['A', 'B', 'C', 'D', 'C', undefined]);
  });

  it('takes turns over the tenants that wait, and leaves each a part of the queue', async () => {
    const { reads, asked, answers } = heldBack();
    const read = (mark: string, count: number): Promise<PromiseSettledResult<unknown>[]> =>
      inTenant({ id: mark, mark, made: new Map<object, object>() }, () =>
        Promise.allSettled(Array.from({ length: count }, (_, n) => reads.read(`${mark}${n}`))),
      );
    void read('a', 10_000);
    const ofB = read('b', 1_251);
    reads.read('s0').catch(() => undefined);
    answers[0]?.resolve();
    await new Promise(setImmediate);
    expect(asked[2]).toHaveLength(64);
    expect(asked[2]?.slice(0, 5)).toEqual(['a2', 'b0', 's0', 'a3', 'b1']);
    reads.dropAll();
    const refused = (await ofB).map((one) => one.status === 'rejected' && (one.reason as { reason: string }).reason);
    expect(refused.filter((reason) => reason === 'queue_full')).toHaveLength(1);
  });

  it('fails together and goes on afterwards', async () => {
    const { reads, asked, answers } = heldBack();
    const results = Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => reads.read(key)));
    answers[0]?.reject(new Error('away'));
    answers[1]?.reject(new Error('away'));
    await new Promise(setImmediate);
    answers[2]?.resolve();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(asked).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it('hears at once that the database is silent, waiting or under way', async () => {
    const { reads } = heldBack();
    const results = Promise.allSettled(['a', 'b', 'c'].map((key) => reads.read(key)));
    reads.dropAll();
    expect((await results).map((result) => result.status === 'rejected' && (result.reason as Error).name)).toEqual(
      Array(3).fill('WorkDroppedError'),
    );
  });

  it('is not waited for after its deadline, and not sent when no caller waits any more', async () => {
    const asked: (readonly string[])[] = [];
    const deadline = new Deadline(60_000);
    const reads = new GroupRead<string>(
      (keys) => {
        asked.push(keys);
        return new Promise(() => undefined);
      },
      () => deadline,
    );
    const results = Promise.allSettled(['a', 'b', 'c'].map((key) => reads.read(key)));
    deadline.end();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(reads.read('d')).rejects.toMatchObject({ reason: 'deadline' });
    expect(asked).toEqual([['a'], ['b']]);
  });

  it('leaves no trace with a deadline when what was read has come', async () => {
    const deadline = new Deadline(60_000);
    const forget = jest.fn();
    const onEnd = jest.spyOn(deadline, 'onEnd').mockReturnValue(forget);
    const reads = new GroupRead<string>(
      (keys) => Promise.resolve(new Map(keys.map((key) => [key, key]))),
      () => deadline,
    );
    const results = Promise.all(['a', 'b', 'c', 'd'].map((key) => reads.read(key)));
    expect(onEnd).toHaveBeenCalledTimes(4);
    expect(forget).not.toHaveBeenCalled();
    await results;
    expect(forget).toHaveBeenCalledTimes(4);
  });
});
