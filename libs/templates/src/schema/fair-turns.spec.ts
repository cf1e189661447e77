import { inTurn } from './fair-turns';

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('short work in turns', () => {
  it('answers what it answers, and hands on what it throws', async () => {
    expect(await inTurn(() => 1)).toBe(1);
    const failing = (): never => {
      throw new Error('no');
    };
    expect(() => inTurn(failing)).toThrow('no');
  });

  it('lets others have the event loop when much of it is ready at once', async () => {
    let others = 0;
    let isOver = false;
    const other = (): void => {
      others++;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    await Promise.all(
      Array.from({ length: 20 }, async () =>
        inTurn(() => {
          work(5);
        }),
      ),
    );
    isOver = true;
    // Twenty times five milliseconds, ten in a turn.
    expect(others).toBeGreaterThanOrEqual(9);
  });
});
