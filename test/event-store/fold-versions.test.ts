import { Logger } from '@nestjs/common';
import { type Aggregate, EventStore, type Repository, type SqlDriver } from '@app/event-store';
import { databaseKinds, startDatabase, type TestDatabase } from '../support/database/databases';
import { account, type Account, type AccountEvent, open, payIn } from './accounts';

interface CountingAccount extends Account {
  readonly payments: number;
}

/** The account as a later release folds it: it counts what was paid in. */
const countingAccount: Aggregate<CountingAccount, AccountEvent> = {
  ...account,
  foldVersion: 2,
  evolve: (state, event) => ({
    ...account.evolve(state, event),
    payments: (state?.payments ?? 0) + (event.type === 'PaidIn' ? 1 : 0),
  }),
};

describe.each(databaseKinds)('a release that folds events into another state (%s)', (kind) => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let earlier: Repository<Account, AccountEvent>;
  let store: EventStore;
  let accounts: Repository<CountingAccount, AccountEvent>;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await startDatabase(kind);
    const before = await database.open();
    driver = before.driver;
    earlier = before.store.repository(account);
    await Promise.all(
      Array.from({ length: 230 }, async (_, i) => earlier.save(`${i}`, 0, [open(), payIn(10), payIn(5)])),
    );
    store = new EventStore(driver);
    accounts = store.repository(countingAccount);
  });
  afterAll(() => database.stop());

  let asked = 0;
  const query = <T>(text: string): Promise<T[]> => driver.query<T>({ name: `fold test ${++asked}`, text, values: [] });
  const storedPayments = async (): Promise<(string | null)[]> =>
    (await query<{ payments: string | null }>(`select distinct state->>'payments' as payments from streams`)).map(
      ({ payments }) => payments,
    );

  it('reads and lists the states of the previous release as its own', async () => {
    expect((await accounts.load('3')).state).toMatchObject({ balance: 15, payments: 2 });
    const { items } = await accounts.list({ limit: 100 });
    expect([...new Set(items.map(({ state }) => state.payments))]).toEqual([2]);
    expect(await storedPayments()).toEqual([null]);
  });

  it('decides on them, and stores its own', async () => {
    await accounts.save('4', 3, [payIn(1)]);
    expect((await query(`select state from streams where stream_id = 'account-4'`))[0]).toMatchObject({
      state: { balance: 16, payments: 3 },
    });
  });

  it('also reads what a replica of the previous release writes afterwards', async () => {
    await earlier.save('4', 4, [payIn(1)]);
    expect((await accounts.load('4')).state).toMatchObject({ balance: 17, payments: 4 });
    // A release without fold versions leaves their columns alone.
    await accounts.save('5', 3, [payIn(1)]);
    await query(`with appended as (insert into events (stream_id, version, type, data, metadata)
        values ('account-5', 5, 'PaidIn', '{"amount": 1}', '{"unit": "x", "version": 1}'))
      update streams set version = 5, state = '{"status": "open", "owner": "ada", "balance": 17}', updated_at = now()
      where stream_id = 'account-5'`);
    expect((await accounts.load('5')).state).toMatchObject({ balance: 17, payments: 4 });
  });

  it('is not reported as tampering before the states are folded again', async () => {
    expect((await store.verify()).differing).toEqual([]);
    await query(`update streams set created_at = created_at + interval '1 day' where stream_id = 'account-6'`);
    expect((await store.verify()).differing).toEqual(['account-6']);
    await query(`update streams set created_at = created_at - interval '1 day' where stream_id = 'account-6'`);
  });

  it('folds all states again while replicas of the previous release write, and for a day what these write', async () => {
    const folding = store.foldAnew();
    for (let i = 100; i < 130; i++) await earlier.save(`${i}`, 3, [payIn(1)]);
    await folding;
    expect(await query('select category, fold_version from folds')).toEqual([{ category: 'account', fold_version: 2 }]);
    await earlier.save('9', 3, [payIn(1)]);
    await store.foldAnew();
    expect(await query(`select count(*)::integer as old from streams where state->>'payments' is null`)).toEqual([
      { old: 0 },
    ]);
    expect((await accounts.load('110')).state).toMatchObject({ payments: 3 });
    expect((await store.verify()).differing).toEqual([]);
  });

  it('reads a state that was folded again without its events', async () => {
    await query(`update streams set state = state || '{"payments": 7}' where stream_id = 'account-8'`);
    await store.foldAnew();
    expect((await accounts.load('8')).state).toMatchObject({ payments: 7 });
    expect((await store.verify()).differing).toEqual(['account-8']);
  });

  it.each([
    ['no fold', 'fold_version = 0'],
    ['an earlier fold, a day after all were made anew', 'fold_version = 1'],
  ])('reports a changed state that claims to be of %s as tampering', async (_which, claim) => {
    await query(`update folds set folded_at = now() - interval '25 hours'`);
    await query(`update streams set state = '{"status": "open"}', ${claim} where stream_id = 'account-8'`);
    expect((await store.verify()).differing).toEqual(['account-8']);
  });
});
