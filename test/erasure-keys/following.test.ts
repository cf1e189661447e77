import {
  type EventStore,
  grantStatements,
  schemaOfTables,
  type SqlDriver,
  connectErasureKeys,
  ErasureFollower,
  erasureKeyRights,
  ErasureKeys,
  migrateErasureKeys,
} from '@app/event-store';
import { sweepKeys } from '@app/event-store/src/erasure-keys/sweep';
import { randomBytes, randomUUID } from 'node:crypto';
import { open, repositories } from '../event-store/accounts';
import { databaseOn, type TestDatabase } from '../support/database/databases';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';

let database: TestDatabase;
let driver: SqlDriver;
let store: EventStore;
let second: string;
/** With the rights of the service's role. */
let role: SqlDriver;
let owner: SqlDriver;
let keys: ErasureKeys;
let follower: ErasureFollower;
let accounts: ReturnType<typeof repositories>['accounts'];

beforeAll(async () => {
  database = await databaseOn(sharedPostgres());
  ({ driver, store } = await database.open());
  ({ accounts } = repositories(store));
  second = await sharedPostgres().createDatabase();
  owner = await connectErasureKeys(second);
  await migrateErasureKeys(owner);
  role = await connectErasureKeys(await serviceRole());
  keys = new ErasureKeys(role);
  follower = new ErasureFollower(driver, keys);
});
afterAll(async () => {
  await Promise.all([role.close(), owner.close(), database.stop()]);
  await dropDatabase(second);
});

async function serviceRole(): Promise<string> {
  const name = `app_${randomBytes(6).toString('hex')}`;
  const statements = grantStatements(name, await schemaOfTables(owner), [], erasureKeyRights);
  await owner.transaction((tx) => tx.script([`create role ${name} login password 'app'`, ...statements].join(';')));
  const url = new URL(second);
  [url.username, url.password] = [name, 'app'];
  return url.href;
}

const ask = <T>(text: string, ...values: unknown[]): Promise<T[]> => owner.query<T>({ name: '', text, values });

/** An account with personal data that has been erased in the store alone. */
async function erasedAccount(): Promise<string> {
  const id = randomUUID();
  await keys.make(`account-${id}`);
  await accounts.save(id, 0, [open('ada')], { dataKey: Buffer.from('sealed') });
  await store.transact(async () => {
    await accounts.save(id, 1, [{ type: 'PersonalDataErased' }]);
    await store.destroyDataKey('account', id);
  });
  return `account-${id}`;
}

describe('erasure keys', () => {
  it('are one for each stream, whichever process makes it first', async () => {
    const other = new ErasureKeys(owner);
    const made = await Promise.all([keys.make('account-1'), other.make('account-1'), keys.make('account-1')]);
    expect(new Set(made.map((key) => key.toString('hex'))).size).toBe(1);
    expect(await keys.find('account-1')).toEqual(made[0]);
    expect(await keys.make('account-2')).not.toEqual(made[0]);
  });

  it('are destroyed after an erasure that could not destroy them itself, and others are kept', async () => {
    const erased = [await erasedAccount(), await erasedAccount()];
    const kept = await keys.make('account-kept');
    await follower.follow();
    expect(await Promise.all(erased.map((streamId) => keys.find(streamId)))).toEqual([undefined, undefined]);
    expect(await keys.find('account-kept')).toEqual(kept);
    expect(follower.lag()).toBe(0);
  });

  it('are destroyed again when a backup of their own database has brought them back', async () => {
    await follower.follow();
    const [before] = await ask<{ upto: string }>('select erased_upto::text as upto from followed_store');
    const erased = await erasedAccount();
    const key = await keys.find(erased);
    await follower.follow();
    expect(await keys.find(erased)).toBeUndefined();
    await ask(`insert into erasure_keys (stream_id, erasure_key) values ($1, $2)`, erased, key);
    await ask(`delete from erasures where erased_at > $1::timestamptz`, before?.upto);
    await ask(`update followed_store set erased_upto = $1::timestamptz`, before?.upto);
    await follower.follow();
    expect(await keys.find(erased)).toBeUndefined();
  });

  it('of streams that were never stored are removed after thirty days, and looked up once', async () => {
    await accounts.save('stored', 0, [open('ada')], { dataKey: Buffer.from('sealed') });
    const old = ['account-stored', 'account-failed'];
    for (const streamId of [...old, 'account-young']) await keys.make(streamId);
    await ask(`update erasure_keys set made_at = now() - interval '31 days' where stream_id = any($1::text[])`, old);
    await sweepKeys(driver, role);
    const found = await Promise.all([...old, 'account-young'].map((streamId) => keys.find(streamId)));
    expect(found.map((key) => key !== undefined)).toEqual([true, false, true]);
    const [{ swept } = { swept: false }] = await ask<{ swept: boolean }>(
      `select swept_upto > now() - interval '32 days' as swept from followed_store`,
    );
    expect(swept).toBe(true);
  });
});
