import { Logger } from '@nestjs/common';
import { emptyTable, root } from '../fixtures/key-table';
import { KeyRing } from './key-ring';
import { type CheckedKey } from './proven-keys';

describe('a key ring', () => {
  it('finds a key that another replica made', async () => {
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const other = await KeyRing.open(store, root);
    await other.rotate('ES256');
    const { kid } = other.activeKey('ES256');
    expect(await ring.publicKey(kid)).toMatchObject({ kid, status: 'active' });
    expect(ring.activeKey('ES256').kid).toBe(kid);
  });

  it('queries the store at most once a second for unknown kids', async () => {
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const list = jest.spyOn(store, 'list');
    const ask = (...kids: string[]) => Promise.all(kids.map((kid) => ring.publicKey(kid)));
    expect(await ask('a', 'b', 'c')).toEqual([undefined, undefined, undefined]);
    await ask('d');
    expect(list).toHaveBeenCalledTimes(1);
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    await ask('e');
    later.mockRestore();
    expect(list).toHaveBeenCalledTimes(2);
  });

  it('queries the store every two seconds, and not again before it has an answer', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const other = await KeyRing.open(store, root);
    await other.revoke(other.activeKey('ES256').kid);
    const list = jest.spyOn(store, 'list');
    ring.onModuleInit();
    await jest.advanceTimersByTimeAsync(2_000);
    await new Promise(setImmediate);
    expect(list).toHaveBeenCalledTimes(1);
    expect(ring.publicKeys()).toEqual(other.publicKeys());

    const { promise, resolve } = deferred();
    list.mockReturnValueOnce(promise);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(list).toHaveBeenCalledTimes(2);
    resolve([]);
    ring.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('goes on with the keys at hand while the store is away, and says so once', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('ES256');
    const list = jest.spyOn(store, 'list').mockRejectedValue(new Error('connect ECONNREFUSED'));
    ring.onModuleInit();
    for (let round = 0; round < 8; round++) await jest.advanceTimersByTimeAsync(500);
    // After two seconds, and then every half second until one succeeds.
    expect(list).toHaveBeenCalledTimes(5);
    expect(warn.mock.calls).toEqual([[{ event: 'keys.refresh-failed', reason: 'Error' }]]);
    expect(ring.activeKey('ES256').kid).toBe(kid);
    ring.onModuleDestroy();
    jest.useRealTimers();
    warn.mockRestore();
  });
});

function deferred() {
  let resolve: (rows: CheckedKey[]) => void = () => undefined;
  const promise = new Promise<CheckedKey[]>((done) => (resolve = done));
  return { promise, resolve };
}
