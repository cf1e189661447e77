import { type Failures, WaitingFailures } from './waiting-failures';

/** Writes what it is given on demand, and keeps it. */
function slowDatabase() {
  const written: (readonly Failures[])[] = [];
  const answers: (() => void)[] = [];
  const failures = new WaitingFailures((given) => {
    written.push(given);
    return new Promise((resolve) => answers.push(resolve));
  });
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await settled();
  };
  return { failures, written, answer };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('failures that wait to be counted', () => {
  it('are one statement at a time, whatever their number', async () => {
    const { failures, written, answer } = slowDatabase();
    void failures.add('failed-access', 'first');
    await settled();
    for (let client = 0; client < 100; client++) {
      for (let attempt = 0; attempt < 3; attempt++) void failures.add('failed-access', String(client));
      await settled();
    }
    expect(written).toEqual([[{ name: 'failed-access', client: 'first', count: 1 }]]);
    await answer();
    expect(written).toHaveLength(2);
    expect(written[1]).toHaveLength(100);
    expect(new Set(written[1]?.map(({ count }) => count))).toEqual(new Set([3]));
    await answer();
    expect(written).toHaveLength(2);
  });

  it('keep limits apart, and resolve each caller when its own failure was counted', async () => {
    const { failures, written, answer } = slowDatabase();
    const counted: string[] = [];
    void failures.add('failed-access', 'a').then(() => counted.push('first'));
    await settled();
    void failures.add('failed-access', 'a').then(() => counted.push('second'));
    void failures.add('wrong-transaction-code', 'a');
    await answer();
    expect(counted).toEqual(['first']);
    expect(written[1]).toEqual([
      { name: 'failed-access', client: 'a', count: 1 },
      { name: 'wrong-transaction-code', client: 'a', count: 1 },
    ]);
    await answer();
    expect(counted).toEqual(['first', 'second']);
  });

  it('have an end: a flood of clients beyond it is not counted', async () => {
    const { failures, written, answer } = slowDatabase();
    void failures.add('failed-access', 'first');
    await settled();
    for (let client = 0; client < 20_000; client++) void failures.add('failed-access', String(client));
    await failures.add('failed-access', 'one more');
    await answer();
    expect(written[1]).toHaveLength(10_000);
  });
});
