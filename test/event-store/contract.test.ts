import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { AlreadyConsumedError, ConflictError, type EventStore, type SqlDriver } from '@app/event-store';
import { databaseKinds, startDatabase, type TestDatabase } from '../support/database/databases';
import { account, hash, note, open, payIn, repositories } from './accounts';

const anyDate = expect.any(Date) as unknown;

/** Runs outside of the unit of work that calls it. */
const otherCaller = AsyncLocalStorage.snapshot();

describe.each(databaseKinds)('the event store (%s)', (kind) => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];
  let notes: ReturnType<typeof repositories>['notes'];

  beforeAll(async () => {
    database = await startDatabase(kind);
    ({ driver, store } = await database.open());
    ({ accounts, notes } = repositories(store));
  });
  afterAll(() => database.stop());

  describe('one stream', () => {
    it('does not exist before its first event', async () => {
      const loaded = await accounts.load(randomUUID());
      expect(loaded).toMatchObject({ state: undefined, version: 0, dataKey: undefined, createdAt: undefined });
      expect(await accounts.loadWithEvents(randomUUID())).toEqual({ ...loaded, now: anyDate, events: [] });
      expect(Math.abs(loaded.now.getTime() - Date.now())).toBeLessThan(5_000);
    });

    it('reads what was just written, with the times of its first and last event', async () => {
      const id = randomUUID();
      const saved = await accounts.save(id, 0, [open(), payIn(5)]);
      expect(saved).toEqual({ version: 2, state: { status: 'open', owner: 'ada', balance: 5 } });
      const first = await accounts.load(id);
      await accounts.save(id, 2, [payIn(7)]);
      const second = await accounts.load(id);
      expect(second).toMatchObject({ version: 3, state: { balance: 12 }, createdAt: first.createdAt });
      expect(second.updatedAt?.getTime()).toBeGreaterThanOrEqual(first.updatedAt?.getTime() ?? Infinity);
      const history = await accounts.events(id);
      expect(await accounts.loadWithEvents(id)).toEqual({ ...second, now: anyDate, events: history });
      expect(history.map((stored) => stored.event)).toEqual([open(), payIn(5), payIn(7)]);
      expect(history.map((stored) => stored.version)).toEqual([1, 2, 3]);
      expect(history[0]).toMatchObject({ category: 'account', id, recordedAt: first.createdAt });
      expect(history[0]?.unit).toBe(history[1]?.unit);
      expect(history[2]?.unit).not.toBe(history[1]?.unit);
    });

    it('keeps every character of an event and of a state', async () => {
      const text = 'quote " backslash \\ braces {,} null NULL \\N tab \t line \n snow ☃ 𝄞 apostrophe \' dollar $1';
      const id = randomUUID();
      await notes.save(id, 0, [{ type: 'Written', text }]);
      expect((await notes.load(id)).state).toEqual({ text });
      expect((await notes.events(id))[0]?.event).toEqual({ type: 'Written', text });
    });

    it('rejects a second creation, a stale version and a version not yet reached, immediately', async () => {
      const id = randomUUID();
      await accounts.save(id, 0, [open()]);
      await expect(accounts.save(id, 0, [open('eve')])).rejects.toThrow(ConflictError);
      await accounts.save(id, 1, [payIn(1)]);
      await expect(accounts.save(id, 1, [payIn(1)])).rejects.toThrow(ConflictError);
      await expect(accounts.save(id, 9, [payIn(1)])).rejects.toThrow(ConflictError);
      expect(await accounts.load(id)).toMatchObject({ version: 2, state: { owner: 'ada', balance: 1 } });
    });

    it('accepts exactly one of many writers of one version', async () => {
      const id = randomUUID();
      await accounts.save(id, 0, [open()]);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, async () => accounts.save(id, 1, [payIn(1)])),
      );
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ConflictError);
      expect(await accounts.load(id)).toMatchObject({ version: 2, state: { balance: 1 } });
    });
  });

  describe('a unit of work', () => {
    it('writes to several streams together, as one unit', async () => {
      const id = randomUUID();
      await store.transact(async () => {
        await accounts.save(id, 0, [open()]);
        await store.transact(async () => {
          await notes.save(id, 0, [{ type: 'Written', text: 'hello' }]);
        });
        expect((await notes.events(id)).length).toBe(0);
      });
      const [opened] = await accounts.events(id);
      const [written] = await notes.events(id);
      expect(opened?.unit).toBe(written?.unit);
    });

    it('sees its own pending writes', async () => {
      const id = randomUUID();
      await store.transact(async () => {
        await accounts.save(id, 0, [open()], { dataKey: Buffer.from('wrapped') });
        expect(await accounts.load(id)).toMatchObject({
          version: 1,
          dataKey: Buffer.from('wrapped'),
          state: { balance: 0 },
        });
        await accounts.save(id, 1, [payIn(3)]);
        expect(await accounts.load(id)).toMatchObject({ version: 2, state: { balance: 3 } });
        await expect(accounts.save(id, 1, [payIn(3)])).rejects.toThrow(ConflictError);
      });
      expect(await accounts.load(id)).toMatchObject({ version: 2, state: { balance: 3 } });
    });

    it('writes nothing when the work throws', async () => {
      const id = randomUUID();
      const work = store.transact(async () => {
        await accounts.save(id, 0, [open()], {
          consume: [{ kind: 'code', hash: hash(id) }],
          dataKey: Buffer.from('k'),
        });
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      expect((await accounts.load(id)).version).toBe(0);
      await accounts.save(id, 0, [open()], { consume: [{ kind: 'code', hash: hash(id) }] });
    });

    it('writes nothing when one of its streams conflicts', async () => {
      const [mine, contested] = [randomUUID(), randomUUID()];
      const raw = { name: 'all-counts', text: 'select count(*)::int as n from events', values: [] };
      await accounts.save(contested, 0, [open()]);
      const before = await driver.query(raw);
      const work = store.transact(async () => {
        await notes.save(mine, 0, [{ type: 'Written', text: 'x' }]);
        await accounts.save(contested, 0, [open('eve')]);
      });
      await expect(work).rejects.toThrow(ConflictError);
      expect((await notes.load(mine)).version).toBe(0);
      expect(await driver.query(raw)).toEqual(before);
    });

    it('decides again after a conflict, three times', async () => {
      const id = randomUUID();
      await accounts.save(id, 0, [open()]);
      let runs = 0;
      const disturbed = (disturbances: number) => async (): Promise<number> => {
        const { version } = await accounts.load(id);
        // Another caller is faster, outside of this unit.
        if (runs++ < disturbances) await new Promise((resolve) => setImmediate(resolve)).then(() => other(version));
        await accounts.save(id, version, [payIn(10)]);
        return runs;
      };
      const other = (version: number) =>
        driver
          .query({
            name: 'disturb',
            text: `insert into events (stream_id, version, type, data, metadata)
            values ($1, $2, 'PaidIn', '{"amount":0}', '{"unit":"x","version":1}')`,
            values: [`account-${id}`, version + 1],
          })
          .then(() =>
            driver.query({
              name: 'disturb-state',
              text: 'update streams set version = $2 where stream_id = $1',
              values: [`account-${id}`, version + 1],
            }),
          );
      expect(await store.transact(disturbed(3))).toBe(4);
      runs = 0;
      await expect(store.transact(disturbed(4))).rejects.toThrow(ConflictError);
      expect(runs).toBe(4);
      expect((await accounts.load(id)).state?.balance).toBe(10);
    });

    it('does not do the work again when a value was used before', async () => {
      const value = { kind: 'nonce', hash: hash(randomUUID()) };
      await store.consume(value);
      let runs = 0;
      const work = store.transact(async () => {
        runs++;
        await accounts.save(randomUUID(), 0, [open()], { consume: [value] });
      });
      await expect(work).rejects.toThrow(AlreadyConsumedError);
      expect(runs).toBe(1);
    });

    it('rejects writes of a promise that outlives it', async () => {
      let late: Promise<unknown> = Promise.resolve();
      await store.transact(() => {
        late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => accounts.save(randomUUID(), 0, [open()]));
        return Promise.resolve();
      });
      await expect(late).rejects.toThrow('not awaited');
    });

    it('commits 200 at once although one of them conflicts', async () => {
      const taken = randomUUID();
      await accounts.save(taken, 0, [open()]);
      const ids = Array.from({ length: 200 }, () => randomUUID());
      const results = await Promise.allSettled([
        ...ids.slice(0, 100).map((id) => accounts.save(id, 0, [open()])),
        accounts.save(taken, 0, [open('eve')]),
        ...ids.slice(100).map((id) => accounts.save(id, 0, [open()])),
      ]);
      expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
      expect(results[100]).toMatchObject({ status: 'rejected', reason: expect.any(ConflictError) });
      for (const id of ids) expect((await accounts.load(id)).version).toBe(1);
    });
  });

  describe('an update', () => {
    it('saves what is decided on the stream as it is, and returns it as it is afterwards', async () => {
      const id = randomUUID();
      const created = await accounts.update(id, ({ state, version }) => {
        expect({ state, version }).toEqual({ state: undefined, version: 0 });
        return [open()];
      });
      expect(created).toMatchObject({ version: 1, state: { balance: 0 }, createdAt: created.now });
      const paid = await accounts.update(id, ({ state }) => [payIn((state?.balance ?? 0) + 5)]);
      expect(paid).toMatchObject({ version: 2, state: { balance: 5 }, createdAt: (await accounts.load(id)).createdAt });
      expect(await accounts.load(id)).toMatchObject({ version: 2, state: { balance: 5 } });
    });

    it('writes nothing when nothing is decided, and returns the result all the same', async () => {
      const id = randomUUID();
      await accounts.save(id, 0, [open()]);
      const unchanged = await accounts.update(id, ({ state }) => ({ events: [], result: state?.owner }));
      expect(unchanged).toMatchObject({ version: 1, result: 'ada' });
      expect(await accounts.update(randomUUID(), () => [])).toMatchObject({ version: 0, state: undefined });
      expect((await accounts.events(id)).map(({ event }) => event)).toEqual([open()]);
    });

    it('stores a value that a decision without events uses up, and a data key with the first event', async () => {
      const [id, value] = [randomUUID(), { kind: 'nonce', hash: hash(randomUUID()) }];
      const dataKey = Buffer.from('wrapped');
      await accounts.update(id, () => ({ events: [open()], dataKey, result: undefined }));
      expect((await accounts.load(id)).dataKey).toEqual(dataKey);
      await accounts.update(id, () => ({ events: [], consume: [value], result: undefined }));
      const again = accounts.update(id, () => ({ events: [payIn(1)], consume: [value], result: undefined }));
      await expect(again).rejects.toThrow(AlreadyConsumedError);
      expect((await accounts.load(id)).version).toBe(1);
    });

    it('stores nothing when the decision throws', async () => {
      const id = randomUUID();
      const refused = accounts.update(id, async () => {
        await notes.save(id, 0, [{ type: 'Written', text: 'x' }]);
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      expect((await notes.load(id)).version).toBe(0);
    });

    it('decides again on what another writer has left, as often as is asked for', async () => {
      const id = randomUUID();
      await accounts.save(id, 0, [open()]);
      const beatenBy = (writers: number) => {
        const seen: number[] = [];
        const decide = async ({ version }: { readonly version: number }) => {
          seen.push(version);
          if (seen.length <= writers) await otherCaller(() => accounts.save(id, version, [payIn(1)]));
          return [payIn(10)];
        };
        return { seen, decide };
      };
      const second = beatenBy(3);
      expect(await accounts.update(id, second.decide)).toMatchObject({ version: 5, state: { balance: 13 } });
      expect(second.seen).toEqual([1, 2, 3, 4]);
      await expect(accounts.update(id, beatenBy(4).decide)).rejects.toThrow(ConflictError);
      await expect(accounts.update(id, beatenBy(1).decide, { attempts: 1 })).rejects.toThrow(ConflictError);
      expect(await accounts.update(id, beatenBy(5).decide, { attempts: 6 })).toMatchObject({ state: { balance: 33 } });
    });

    it('finds the stream by a value bound to it, and decides on nothing that is not there', async () => {
      const [id, code] = [randomUUID(), hash(randomUUID())];
      const none = accounts.updateByHandle('code', code, () => {
        throw new Error('there is nothing to decide on');
      });
      expect(await none).toBeUndefined();
      await accounts.save(id, 0, [open()], { consume: [{ kind: 'code', hash: code, bindsStream: true }] });
      const found = await accounts.updateByHandle('code', code, ({ state }) => ({
        events: [payIn(state.balance + 2)],
        result: state.owner,
      }));
      expect(found).toMatchObject({ id, version: 2, state: { balance: 2 }, result: 'ada' });
    });
  });

  describe('single-use values', () => {
    it('names the kind that was used before', async () => {
      const [first, second] = [hash(randomUUID()), hash(randomUUID())];
      await store.consume({ kind: 'proof', hash: second });
      const attempt = accounts.save(randomUUID(), 0, [open()], {
        consume: [
          { kind: 'code', hash: first },
          { kind: 'proof', hash: second },
        ],
      });
      await expect(attempt).rejects.toMatchObject({ name: 'AlreadyConsumedError', kind: 'proof' });
      await store.consume({ kind: 'code', hash: first }); // the failed attempt has not used it
    });

    it('lets the same value be used once per kind', async () => {
      const value = hash(randomUUID());
      await store.consume({ kind: 'a', hash: value }, { kind: 'b', hash: value });
      await expect(store.consume({ kind: 'b', hash: value })).rejects.toMatchObject({ kind: 'b' });
      await expect(store.consume({ kind: 'c', hash: hash('x') }, { kind: 'c', hash: hash('x') })).rejects.toMatchObject(
        { kind: 'c' },
      );
    });

    it('finds a stream by a value bound to it, until the value expires by the database clock', async () => {
      const [id, code, old] = [randomUUID(), hash(randomUUID()), hash(randomUUID())];
      const { now } = await accounts.load(id);
      await store.transact(async () => {
        await accounts.save(id, 0, [open()], {
          consume: [
            { kind: 'code', hash: code, bindsStream: true, expiresAt: new Date(now.getTime() + 60_000) },
            { kind: 'code', hash: old, bindsStream: true, expiresAt: new Date(now.getTime() - 1) },
          ],
          dataKey: Buffer.from('wrapped'),
        });
        expect(await accounts.loadByHandle('code', code)).toMatchObject({ id, version: 1 });
      });
      expect(await accounts.loadByHandle('code', code)).toMatchObject({
        id,
        version: 1,
        state: { owner: 'ada' },
        dataKey: Buffer.from('wrapped'),
      });
      expect(await accounts.loadByHandle('code', old)).toBeUndefined();
      expect(await accounts.loadByHandle('other', code)).toBeUndefined();
      expect(await notes.loadByHandle('code', code)).toBeUndefined();
      await store.transact(async () => {
        const found = await accounts.loadByHandle('code', code);
        await accounts.save(id, found?.version ?? 0, [payIn(1)]);
        expect(await accounts.loadByHandle('code', code)).toMatchObject({ version: 2, state: { balance: 1 } });
      });
    });

    it('remember a note until they expire by the database clock', async () => {
      const [kept, old, bare] = [hash(randomUUID()), hash(randomUUID()), hash(randomUUID())];
      const { now } = await accounts.load('clock');
      await store.consume(
        { kind: 'key', hash: kept, note: 'sealed ☃', expiresAt: new Date(now.getTime() + 60_000) },
        { kind: 'key', hash: old, note: 'sealed', expiresAt: new Date(now.getTime() - 1) },
        { kind: 'key', hash: bare },
      );
      expect(await store.noteOf('key', kept)).toBe('sealed ☃');
      for (const [kind, value] of [
        ['key', old],
        ['key', bare],
        ['key', hash('x')],
        ['other', kept],
      ] as const) {
        expect(await store.noteOf(kind, value)).toBeUndefined();
      }
    });

    it('forgets values two hours after their expiry, no others', async () => {
      const { now } = await accounts.load('clock');
      const value = (hours: number | undefined) => ({
        kind: `expiry ${hours ?? 'never'}`,
        hash: hash('same'),
        expiresAt: hours === undefined ? undefined : new Date(now.getTime() + hours * 3_600_000),
      });
      const values = [value(-3), value(-1), value(1), value(undefined)];
      await store.consume(...values);
      expect(await store.removeExpired()).toBe(1);
      const results = await Promise.allSettled(values.map(async (each) => store.consume(each)));
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    });
  });

  describe('data keys', () => {
    it('cannot be recovered once destroyed, while the stream still replays', async () => {
      const id = randomUUID();
      await accounts.save(id, 0, [open()], { dataKey: Buffer.from([0, 255, 92, 34]) });
      expect((await accounts.load(id)).dataKey).toEqual(Buffer.from([0, 255, 92, 34]));
      await store.transact(async () => {
        const { version } = await accounts.load(id);
        await accounts.save(id, version, [{ type: 'Closed' }]);
        await store.destroyDataKey('account', id);
        expect((await accounts.load(id)).dataKey).toBeUndefined();
      });
      expect(await accounts.load(id)).toMatchObject({ dataKey: undefined, state: { status: 'closed' } });
      expect(await accounts.events(id)).toHaveLength(2);
    });
  });

  it('rejects a category registered twice, or one that could be mistaken for another', () => {
    expect(() => store.repository(account)).toThrow('registered twice');
    expect(() => store.repository({ ...note, category: 'note-two' })).toThrow('is not a category');
  });

  it('answers a ping', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
});
