import { randomBytes } from 'node:crypto';
import { AlreadyConsumedError, ConflictError, EventStore, openDriver } from '@app/event-store';
import { startDatabase, type TestDatabase } from '../support/databases';
import { hash, open, payIn, repositories } from './accounts';
import { startReplica } from './replica';

describe('several stores on one database', () => {
  let database: TestDatabase;
  let stores: { store: EventStore; accounts: ReturnType<typeof repositories>['accounts'] }[];

  beforeAll(async () => {
    database = await startDatabase('postgres');
    const opened = await Promise.all([1, 2, 3].map(() => openDriver(database.options)));
    stores = opened.map((driver) => {
      const store = new EventStore(driver);
      return { store, accounts: repositories(store).accounts };
    });
  });
  afterAll(async () => {
    await Promise.all(stores.map(({ store }) => store.close()));
    await database.stop();
  });

  it('let 201 parallel callers use a value exactly once, in three instances', async () => {
    for (let round = 0; round < 20; round++) {
      const value = { kind: 'code', hash: hash(`round ${round}`) };
      const attempts = stores.flatMap(({ accounts }, index) =>
        Array.from({ length: 67 }, (_, i) =>
          accounts.save(`round-${round}-${index}-${i}`, 0, [open()], { consume: [value] }),
        ),
      );
      const results = await Promise.allSettled(attempts);
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(AlreadyConsumedError);
      }
    }
  });

  it('let 201 parallel callers use each of 100 values exactly once, in three processes', async () => {
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica(database.options)));
    const codes = Array.from({ length: 100 }, () => randomBytes(32).toString('hex'));
    const counts = await Promise.all(replicas.map((replica) => replica.redeem(codes, 67)));
    const sums = codes.map((_, index) => counts.reduce((sum, each) => sum + (each[index] ?? 0), 0));
    expect(sums).toEqual(codes.map(() => 1));
    await Promise.all(replicas.map((replica) => replica.kill()));
  }, 90_000);

  it('lose and double no payment when all pay into one account', async () => {
    const [first] = stores;
    await first?.accounts.save('joint', 0, [open()]);
    const pay = async ({ store, accounts }: (typeof stores)[number]): Promise<number> => {
      try {
        await store.transact(async () => {
          const { version } = await accounts.load('joint');
          await accounts.save('joint', version, [payIn(1)]);
        });
        return 1;
      } catch (error) {
        if (error instanceof ConflictError) return 0;
        throw error;
      }
    };
    const paid = await Promise.all(stores.flatMap((store) => Array.from({ length: 40 }, () => pay(store))));
    const sum = paid.reduce((total, one) => total + one, 0);
    expect(sum).toBeGreaterThan(3);
    expect(await first?.accounts.load('joint')).toMatchObject({ version: 1 + sum, state: { balance: sum } });
  });

  it('do not lock each other out when their units write the same streams in opposite order', async () => {
    const [one, two] = stores;
    const before = Date.now();
    for (let i = 0; i < 30; i++) {
      const write = ({ store, accounts }: (typeof stores)[number], ids: string[]): Promise<void> =>
        store.transact(async () => {
          for (const id of ids) {
            const { version } = await accounts.load(id);
            await accounts.save(id, version, [version === 0 ? open() : payIn(1)], {
              consume: [{ kind: 'k', hash: hash(`${id} ${version} ${i}`) }],
            });
          }
        });
      const ids = [`x-${i}`, `y-${i}`];
      if (one && two) await Promise.all([write(one, ids), write(two, [...ids].reverse())]);
      expect(await one?.accounts.load(`x-${i}`)).toMatchObject({ version: 2 });
    }
    // A lock-out would last deadlock_timeout, a second, each time.
    expect(Date.now() - before).toBeLessThan(10_000);
  });
});
