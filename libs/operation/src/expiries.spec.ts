import type { DueExpiries, EventStore, Stores } from '@app/event-store';
import { Expiries } from './expiries';

function expiriesWith(clockAhead: number) {
  const run = jest.fn(() => Promise.resolve());
  const store = { look: () => Promise.resolve({ clockAhead, readOnly: false }) } as unknown as EventStore;
  const stores = { each: (work: () => Promise<void>) => work() } as unknown as Stores;
  return { run, expiries: new Expiries(store, { run } as unknown as DueExpiries, stores) };
}

describe('expiries', () => {
  it.each([
    ['are recorded by clocks that agree', 59_000, 1],
    ['are not recorded by a database whose clock is ahead', 61_000, 0],
    ['are not recorded by a database whose clock is behind', -61_000, 0],
  ])('%s', async (_name, clockAhead, times) => {
    const { run, expiries } = expiriesWith(clockAhead);
    await expiries.record();
    expect(run).toHaveBeenCalledTimes(times);
  });

  it('are recorded by one run at a time', async () => {
    const { run, expiries } = expiriesWith(0);
    await Promise.all([expiries.record(), expiries.record()]);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
