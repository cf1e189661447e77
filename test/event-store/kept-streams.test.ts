import { randomUUID } from 'node:crypto';
import { EventStore, type Loaded, type SingleUse } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { type Account, type AccountEvent, eventually, hash, open, payIn, repositories } from './accounts';
import { type CountingReplica, twoConnections } from './counting-replica';

const { another, drivers, replicas } = twoConnections();
let one: CountingReplica;
let other: CountingReplica;

beforeEach(async () => {
  [one, other] = await replicas();
});

/** Opens an account and returns its id. */
async function opened(by: CountingReplica, dataKey?: Buffer): Promise<string> {
  const id = randomUUID();
  await by.accounts.update(id, () => ({ events: [open()], dataKey, result: undefined }), { isUsuallyNew: true });
  return id;
}

type Outcome = { readonly events: AccountEvent[]; readonly consume?: SingleUse[]; readonly result: unknown };
const events = (...given: AccountEvent[]): Outcome => ({ events: given, result: undefined });

/** Decides as told and notes the versions that it decided on. */
function deciding(decide: (stream: Loaded<Account>) => Outcome | Promise<Outcome>) {
  const versions: number[] = [];
  return {
    versions,
    decide: (stream: Loaded<Account>) => {
      versions.push(stream.version);
      return decide(stream);
    },
  };
}

describe('a decision on a stream as this process left it', () => {
  it('is stored without a read when it appends, and returns what a read would', async () => {
    const id = await opened(one);
    const updated = await one.accounts.update(id, ({ state }) => [payIn((state?.balance ?? 0) + 1)]);
    await one.accounts.update(id, ({ state }) => [payIn((state?.balance ?? 0) + 1)]);
    expect(one.reads()).toBe(0);
    const { now: _now, ...read } = await one.accounts.load(id);
    expect(updated).toMatchObject({ version: 2, state: { balance: 1 }, createdAt: read.createdAt });
    expect(read).toMatchObject({ version: 3, state: { owner: 'ada', balance: 3, status: 'open' } });
    expect(Math.abs(updated.now.getTime() - (await other.accounts.load(id)).now.getTime())).toBeLessThan(5_000);
    expect((await one.store.verify()).differing).toEqual([]);
  });

  it('is made again on what another replica has left', async () => {
    const id = await opened(one);
    await other.accounts.update(id, () => [payIn(5)]);
    const { decide, versions } = deciding(({ state }) => events(payIn((state?.balance ?? 0) * 10)));
    expect(await one.accounts.update(id, decide)).toMatchObject({ version: 3, state: { balance: 55 } });
    expect(versions).toEqual([1, 2]);
  });

  it.each<[string, () => Outcome | Promise<Outcome>]>([
    ['rejects', () => Promise.reject(new Error('too little'))],
    ['appends nothing', () => events()],
    ['only uses up a value', () => ({ ...events(), consume: [{ kind: 'k', hash: hash(randomUUID()) }] })],
  ])('is no answer when it %s: it is made again on what the database has', async (_what, refusal) => {
    const id = await opened(one);
    await other.accounts.update(id, () => [payIn(5)]);
    const { decide, versions } = deciding(({ state }) => (state?.balance === 0 ? refusal() : events(payIn(1))));
    expect(await one.accounts.update(id, decide)).toMatchObject({ state: { balance: 6 } });
    expect(versions).toEqual([1, 2]);
    expect(one.reads()).toBe(1);
    const refused = deciding(refusal);
    await Promise.resolve(one.accounts.update(id, refused.decide)).catch(() => undefined);
    expect(refused.versions).toEqual([3, 3]);
    expect(one.reads()).toBe(1);
  });

  it('of which a value was used before is made again, and then fails with that value', async () => {
    const [id, value] = [await opened(one), { kind: 'nonce', hash: hash(randomUUID()) }];
    await other.accounts.update(id, () => ({ events: [payIn(5)], consume: [value], result: undefined }));
    const { decide, versions } = deciding(() => ({ ...events(payIn(1)), consume: [value] }));
    await expect(one.accounts.update(id, decide)).rejects.toMatchObject({ kind: 'nonce' });
    expect(versions).toEqual([1, 2]);
  });

  it('is presumed as before, however often wallets send a value again', async () => {
    const id = await opened(one);
    const value = { kind: 'nonce', hash: hash(randomUUID()) };
    await one.store.consume(value);
    for (let i = 0; i < 20; i++) {
      await one.accounts.load(id);
      const again = one.accounts.update(id, () => ({ events: [payIn(1)], consume: [value], result: undefined }));
      await expect(again).rejects.toMatchObject({ kind: 'nonce' });
    }
    const next = await opened(one);
    one.reads();
    await one.accounts.update(next, () => [payIn(1)]);
    expect(one.reads()).toBe(0);
  });

  it('starts with a read where it may be made only once', async () => {
    const id = await opened(one);
    await other.accounts.update(id, () => [payIn(5)]);
    const { decide, versions } = deciding(() => events(payIn(1)));
    await one.accounts.update(id, decide, { attempts: 1 });
    expect(versions).toEqual([2]);
  });

  it('is never what a read returns', async () => {
    const [id, handle] = [randomUUID(), hash(randomUUID())];
    await one.accounts.save(id, 0, [open()], { consume: [{ kind: 'h', hash: handle, bindsStream: true }] });
    await other.accounts.update(id, () => [payIn(5)]);
    expect(await one.accounts.load(id)).toMatchObject({ version: 2 });
    await other.accounts.update(id, () => [payIn(5)]);
    expect(await one.accounts.loadByHandle('h', handle)).toMatchObject({ version: 3 });
    await other.accounts.update(id, () => [payIn(5)]);
    await one.store.transact(async () => {
      expect(await one.accounts.load(id)).toMatchObject({ version: 4 });
    });
  });

  it('starts from what was read last, too', async () => {
    const id = await opened(other);
    await one.accounts.load(id);
    one.reads();
    await one.accounts.update(id, () => [payIn(1)]);
    expect(one.reads()).toBe(0);
  });

  it('creates without a read what is usually new, and finds out when it is not', async () => {
    const id = randomUUID();
    const create = ({ state }: Loaded<Account>) => (state ? [payIn(1)] : [open()]);
    expect(await one.accounts.update(id, create, { isUsuallyNew: true })).toMatchObject({ version: 1 });
    expect(one.reads()).toBe(0);
    expect(await other.accounts.update(id, create, { isUsuallyNew: true })).toMatchObject({ version: 2 });
    expect(other.reads()).toBe(1);
  });

  it('fails when the history is another one: a database that was restored, a standby that lacks the last commits', async () => {
    const id = await opened(one);
    await one.accounts.update(id, () => [payIn(1)]);
    await restore(id, 1);
    const shorter = deciding(() => events(payIn(10)));
    expect(await one.accounts.update(id, shorter.decide)).toMatchObject({ version: 2, state: { balance: 10 } });
    expect(shorter.versions).toEqual([2, 1]);
    await restore(id, 1);
    await other.accounts.update(id, () => [payIn(500)]);
    const different = deciding(() => events(payIn(10)));
    expect(await one.accounts.update(id, different.decide)).toMatchObject({ version: 3, state: { balance: 510 } });
    expect(different.versions).toEqual([2, 2]);
  });
});

it('a state that was put right is not overwritten by what followed from the wrong one', async () => {
  const [read, written] = [await opened(other), await opened(other)];
  await other.accounts.update(read, () => [payIn(1)]);
  await other.accounts.update(written, () => [payIn(1)]);
  const { driver, store } = await another();
  await driver.transaction((tx) =>
    tx.script(
      `update streams set state = state || '{"balance": 1000}' where stream_id in ('account-${read}', 'account-${written}')`,
    ),
  );
  await one.accounts.load(read);
  await one.accounts.update(written, () => [payIn(1)]);
  expect((await other.store.rebuild()).differing).toEqual(
    expect.arrayContaining([`account-${read}`, `account-${written}`]),
  );
  for (const id of [read, written]) await one.accounts.update(id, () => [payIn(1)]);
  expect((await one.accounts.load(read)).state?.balance).toBe(2);
  expect((await one.accounts.load(written)).state?.balance).toBe(3);
  await store.close();
});

it('a stream of which no event has a proof is known by its version', async () => {
  const [first] = drivers;
  if (!first) throw new Error('A driver is needed.');
  const store = new EventStore(first);
  const { accounts } = repositories(store);
  await store.ping();
  const id = randomUUID();
  await accounts.save(id, 0, [open()]);
  await accounts.update(id, () => [payIn(1)]);
  await restore(id, 1);
  expect(await accounts.update(id, () => [payIn(10)])).toMatchObject({ version: 2, state: { balance: 10 } });
});

/** Sets one stream back to its first event. */
async function restore(id: string, version: number): Promise<void> {
  const { driver, store } = await another();
  const stream = `account-${id}`;
  await driver.transaction((tx) =>
    tx.script(`delete from events where stream_id = '${stream}' and version > ${version};
      update streams set version = ${version}, head = e.proof, state = '{"owner":"ada","status":"open","balance":0}'
        from events e where e.stream_id = streams.stream_id and e.version = ${version} and streams.stream_id = '${stream}'`),
  );
  await store.close();
}

describe('personal data that was erased by another replica', () => {
  it('cannot be used by a decision that knows the key: it is made again without one', async () => {
    const id = await opened(one, Buffer.from('wrapped'));
    await other.store.destroyDataKey('account', id);
    const keys: (string | undefined)[] = [];
    const pay = ({ dataKey }: Loaded<Account>) => {
      keys.push(dataKey?.toString());
      if (!dataKey) throw new Error('erased');
      return [payIn(1)];
    };
    await expect(one.accounts.update(id, pay)).rejects.toThrow('erased');
    expect(keys).toEqual(['wrapped', undefined]);
    expect(await one.accounts.load(id)).toMatchObject({ version: 1, dataKey: undefined });
  });

  it('nor when the stream is found by its handle, or changed in a unit with others', async () => {
    const [id, handle] = [randomUUID(), hash(randomUUID())];
    const consume = [{ kind: 'h', hash: handle, bindsStream: true }];
    await one.accounts.save(id, 0, [open()], { consume, dataKey: Buffer.from('wrapped') });
    await other.store.destroyDataKey('account', id);
    const pay = ({ dataKey }: Loaded<Account>) => ({ events: dataKey ? [payIn(1)] : [], result: undefined });
    await one.store.transact(async () => {
      await one.notes.update(id, () => [{ type: 'Written', text: 'x' }], { isUsuallyNew: true });
      await one.accounts.updateByHandle('h', handle, pay);
    });
    expect(await one.accounts.load(id)).toMatchObject({ version: 1, dataKey: undefined });
    expect(await one.notes.load(id)).toMatchObject({ version: 1 });
  });
});

describe('what a process keeps of streams', () => {
  async function erasedElsewhere(): Promise<string> {
    const id = await opened(one, Buffer.from('wrapped'));
    await other.store.transact(async () => {
      await other.accounts.update(id, () => [{ type: 'PersonalDataErased' }]);
      await other.store.destroyDataKey('account', id);
    });
    return id;
  }

  /** The keys that decisions were made with. */
  async function keysSeen(id: string): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = [];
    await one.accounts.update(id, ({ dataKey }) => {
      keys.push(dataKey?.toString());
      return [payIn(1)];
    });
    return keys;
  }

  it('is without the key of an erased person as soon as it has looked for erasures', async () => {
    const [unaware, aware] = [await erasedElsewhere(), await erasedElsewhere()];
    expect(await keysSeen(unaware)).toEqual(['wrapped', undefined]);
    await one.store.forgetErased();
    expect(await keysSeen(aware)).toEqual([undefined]);
  });

  it('is looked through every few seconds while the service runs', async () => {
    const id = await erasedElsewhere();
    jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate', 'nextTick', 'setTimeout', 'Date'] });
    try {
      one.store.onApplicationBootstrap();
      const looked = jest.spyOn(one.store['kept'], 'forget');
      jest.advanceTimersByTime(5_000);
      await eventually(() => looked.mock.calls.flat().includes(`account-${id}`));
    } finally {
      jest.useRealTimers();
    }
    expect(await keysSeen(id)).toEqual([undefined]);
  });

  it('is forgotten when the database does not say who was erased', async () => {
    const id = await opened(one, Buffer.from('wrapped'));
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const [driver] = drivers;
    if (!driver) throw new Error('A driver is needed.');
    jest.spyOn(driver, 'query').mockRejectedValueOnce(new Error('away'));
    await one.store.forgetErased();
    jest.restoreAllMocks();
    one.reads();
    await one.accounts.update(id, () => [payIn(1)]);
    expect(one.reads()).toBe(1);
  });
});

describe('a unit with several streams', () => {
  it('looks at a stream without a read, and is stored if that is still as it was known', async () => {
    const [looked, changed] = [await opened(one), await opened(one)];
    await one.accounts.update(looked, () => [payIn(7)]);
    await one.store.transact(async () => {
      const { state } = await one.accounts.load(looked);
      await one.accounts.update(changed, () => [payIn(state?.balance ?? 0)]);
    });
    expect(one.reads()).toBe(0);
    expect((await one.accounts.load(changed)).state?.balance).toBe(7);
  });

  it('is done again on what another replica has left of a stream that it only looks at', async () => {
    const [looked, changed] = [await opened(one), await opened(one)];
    await other.accounts.update(looked, () => [payIn(5)]);
    const seen: (number | undefined)[] = [];
    for (let round = 0; round < 2; round++) {
      await one.store.transact(async () => {
        const { state } = await one.accounts.load(looked);
        seen.push(state?.balance);
        await one.accounts.update(changed, () => [payIn(1)]);
      });
    }
    // What the second attempt has read is known to the unit after it.
    expect(seen).toEqual([0, 5, 5]);
  });

  it('rejects on what the database has, where it has only looked at streams', async () => {
    const looked = await opened(one);
    await other.accounts.update(looked, () => [payIn(5)]);
    const balance = () => one.store.transact(async () => (await one.accounts.load(looked)).state?.balance);
    expect(await balance()).toBe(5);
  });

  it('is read anew, and once, by work that writes nothing', async () => {
    const looked = await opened(one);
    await other.accounts.update(looked, () => [payIn(5)]);
    const twice = jest.fn(async () => [await one.accounts.load(looked), await one.accounts.load(looked)]);
    expect((await one.store.reading(twice)).map(({ state }) => state?.balance)).toEqual([5, 5]);
    expect(twice).toHaveBeenCalledTimes(1);
    expect(one.reads()).toBe(1);
  });

  it('finds a stream to look at by its handle without a read', async () => {
    const [id, handle, changed] = [randomUUID(), hash(randomUUID()), await opened(one)];
    const consume = [{ kind: 'h', bindsStream: true, hash: handle, expiresAt: new Date(Date.now() + 600_000) }];
    await one.accounts.save(id, 0, [open()], { consume });
    await one.store.transact(async () => {
      const found = await one.accounts.loadByHandle('h', handle);
      await one.accounts.update(changed, () => [payIn(found?.version ?? 0)]);
    });
    expect(one.reads()).toBe(0);
    expect((await one.accounts.load(changed)).state?.balance).toBe(1);
  });

  it('is done again as a whole when one of them, taken as it was known and given no event, was changed', async () => {
    const [payer, payee] = [await opened(one), await opened(one)];
    await other.accounts.update(payer, () => [payIn(5)]);
    let runs = 0;
    await one.store.transact(async () => {
      runs++;
      const { result: balance } = await one.accounts.update(payer, ({ state }) => ({
        events: [],
        result: state?.balance ?? 0,
      }));
      await one.accounts.update(payee, () => [payIn(balance)]);
    });
    expect(runs).toBe(2);
    expect((await one.accounts.load(payee)).state?.balance).toBe(5);
  });

  it('is done again when its work swallows a rejection that was decided on what was known', async () => {
    const [first, second] = [await opened(one), await opened(one)];
    await other.accounts.update(first, () => [payIn(5)]);
    await one.store.transact(async () => {
      const pay = ({ state }: Loaded<Account>) => {
        if (state?.balance === 0) throw new Error('nothing there');
        return [payIn(1)];
      };
      await Promise.resolve(one.accounts.update(first, pay)).catch(() => undefined);
      await one.accounts.update(second, () => [payIn(1)]);
    });
    expect((await one.accounts.load(first)).state?.balance).toBe(6);
    expect((await one.accounts.load(second)).state?.balance).toBe(1);
  });

  it('reads no stream in the same unit otherwise than it changes it', async () => {
    const id = await opened(one);
    await other.accounts.update(id, () => [payIn(5)]);
    const seen = await one.store.transact(async () => {
      await one.accounts.update(id, () => [payIn(1)]);
      return (await one.accounts.load(id)).state?.balance;
    });
    expect(seen).toBe(6);
  });
});

describe('a stream found by a handle', () => {
  it('is not read again while the handle is valid, and not found once it has expired', async () => {
    const [id, handle, old] = [randomUUID(), hash(randomUUID()), hash(randomUUID())];
    const { now } = await one.accounts.load(randomUUID());
    const bound = { kind: 'h', bindsStream: true };
    const consume = [
      { ...bound, hash: handle, expiresAt: new Date(now.getTime() + 60_000) },
      { ...bound, hash: old, expiresAt: new Date(now.getTime() + 1) },
    ];
    await one.accounts.save(id, 0, [open()], { consume });
    one.reads();
    const pay = () => ({ events: [payIn(1)], result: undefined });
    expect(await one.accounts.updateByHandle('h', handle, pay)).toMatchObject({ id, version: 2 });
    expect(one.reads()).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await one.accounts.updateByHandle('h', old, pay)).toBeUndefined();
    expect(await one.notes.updateByHandle('h', handle, () => ({ events: [], result: 0 }))).toBeUndefined();
  });
});
