import { NegativeCache } from './negative-cache';
import { OutboundError } from './outbound-error';

describe('failures', () => {
  const failure = new OutboundError('timeout', 'the server did not answer in time');
  const remembered = (length: number): number => {
    const cache = new NegativeCache(60_000);
    const keys = Array.from({ length: 5_000 }, (_, index) => `https://host.example/${index}`.padEnd(length, 'x'));
    for (const key of keys) cache.remember(key, failure);
    const held = keys.filter((key) => cache.get(key) === failure);
    expect(held).toEqual(keys.slice(-held.length));
    return held.length;
  };

  it('are remembered by the length of their addresses, the newest ones', () => {
    expect(remembered(64)).toBe(1_638);
    expect(remembered(4_000)).toBe(123);
  });
});
