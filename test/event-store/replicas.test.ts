import { randomBytes } from 'node:crypto';
import { AlreadyConsumedError, ConflictError, EventStore, openDriver, type SqlDriver } from '@app/event-store';
import { startDatabase, type TestDatabase } from '../support/database/databases';
import { hash, open, payIn, repositories } from './accounts';
import { startReplica, type Replica } from './replica';

describe('several stores on one database', () => {
  let database: TestDatabase;
  let stores: { store: EventStore; accounts: ReturnType<typeof repositories>['accounts'] }[];

  let replicas: Replica[] = [];
  let driver: SqlDriver;

  beforeAll(async () => {
    database = await startDatabase('postgres');
    ({ driver } = await database.open());
    const opened = await Promise.all([1, 2, 3].map(() => openDriver(database.options)));
    stores = opened.map((driver) => {
      const store = new EventStore(driver);
      return { store, accounts: repositories(store).accounts };
    });
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await Promise.all(stores.map(({ store }) => store.close()));
    await database.stop();
  });

  it('let exactly one of 201 parallel callers use a value, in three instances', async () => {
    for (let round = 0; round < 20; round++) {
      const value = { kind: 'code', hash: hash(`round ${round}`) };
      const attempts = stores.flatMap(({ accounts }, index) =>
        Array.from({ length: 67 }, async (_, i) =>
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

  it('let exactly one of 201 parallel callers use each of 100 values, in three processes', async () => {
    replicas = await Promise.all([1, 2, 3].map(() => startReplica(database.options)));
    const codes = Array.from({ length: 100 }, () => randomBytes(32).toString('hex'));
    const counts = await Promise.all(replicas.map((replica) => replica.redeem(codes, 67)));
    const sums = codes.map((_, index) => counts.reduce((sum, each) => sum + (each[index] ?? 0), 0));
    expect(sums).toEqual(codes.map(() => 1));
  });

  it('neither lose nor duplicate a payment when all pay into one account', async () => {
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

  it('do not deadlock when their units write the same streams in opposite order', async () => {
    const [one, two] = stores;
    if (one === undefined || two === undefined) throw new Error('Two stores are needed.');
    for (let round = 0; round < 20; round++) {
      const ids = Array.from({ length: 40 }, (_, i) => `order-${round}-${i}`);
      const write = ({ store, accounts }: (typeof stores)[number], order: string[]): Promise<void> =>
        store.transact(async () => {
          for (const id of order)
            await accounts.save(id, 0, [open()], { consume: [{ kind: 'order', hash: hash(id) }] });
        });
      const results = await Promise.allSettled([write(one, ids), write(two, [...ids].reverse())]);
      expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // the server reports its counts once a second
    const text = 'select deadlocks::int from pg_stat_database where datname = current_database()';
    expect(await driver.query({ name: 'deadlocks', text, values: [] })).toEqual([{ deadlocks: 0 }]);
  });
});
