import { CheckTimeout } from './check-timeout';

/** How often the timeout asked for the time of the processor until it had passed. */
function passed(processorTime: () => number): Promise<number> {
  return new Promise((resolve) => {
    let asked = 0;
    const count = (): number => {
      asked++;
      return processorTime();
    };
    new CheckTimeout(
      20,
      () => {
        resolve(asked);
      },
      count,
    );
  });
}

describe('the timeout of a check', () => {
  it('passes once the work has had its time', async () => {
    let spent = 0;
    expect(await passed(() => (spent += 20))).toBe(2);
  });

  it('is extended when the process got no CPU time, but not indefinitely', async () => {
    expect(await passed(() => 0)).toBe(7);
  });

  it('does not pass for work that is done', async () => {
    let hasPassed = false;
    const timeout = new CheckTimeout(1, () => (hasPassed = true), performance.now.bind(performance));
    timeout.cancel();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hasPassed).toBe(false);
  });
});
