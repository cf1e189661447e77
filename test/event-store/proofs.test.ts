import { randomUUID } from 'node:crypto';
import { EventStore, type SqlDriver } from '@app/event-store';
import { databaseKinds, startDatabase, type TestDatabase } from '../support/database/databases';
import { hash, open, payIn, repositories } from './accounts';
import { provers } from './provers';

interface Row {
  readonly version: number;
  readonly proof: string | null;
  readonly metadata: Record<string, unknown>;
}

describe.each(databaseKinds)('proofs of events (%s)', (kind) => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];
  beforeAll(async () => {
    database = await startDatabase(kind);
    ({ driver } = await database.open());
    store = new EventStore(driver, undefined, provers);
    ({ accounts } = repositories(store));
  });
  afterAll(() => database.stop());

  const select = <T>(text: string, ...values: string[]): Promise<T[]> =>
    driver.query<T>({ name: `${text.length} ${text}`.slice(0, 60), text, values });
  const eventsOf = (id: string): Promise<Row[]> =>
    select<Row>(
      `select version, encode(proof, 'hex') as proof, metadata from events where stream_id = $1 order by version`,
      `account-${id}`,
    );
  const databaseTime = async (): Promise<string> => {
    const [row] = await select<{ now: string }>('select clock_timestamp()::text as now');
    if (!row) throw new Error('The database does not say what time it has.');
    return row.now;
  };

  it('every event has one of its own, the stream keeps the last, and the time is that of the database', async () => {
    const id = randomUUID();
    const before = await databaseTime();
    await accounts.save(id, 0, [open(), payIn(1)]);
    await accounts.save(id, 2, [payIn(1)]);
    const after = await databaseTime();
    const rows = await eventsOf(id);
    expect(new Set(rows.map(({ proof }) => proof)).size).toBe(3);
    for (const { proof } of rows) expect(proof).toMatch(/^01[0-9a-f]{64}$/);
    // A writer knows the database's clock to within a second.
    const outside = await select(
      `select recorded_at from events where stream_id = $1 and not recorded_at
        between $2::text::timestamptz - interval '1 second' and $3::text::timestamptz + interval '1 second'`,
      ...[`account-${id}`, before, after],
    );
    expect(outside).toEqual([]);
    const [stream] = await select<{ head: string; same: boolean }>(
      `select encode(head, 'hex') as head,
        updated_at = (select max(recorded_at) from events e where e.stream_id = s.stream_id) as same
       from streams s where stream_id = $1`,
      `account-${id}`,
    );
    expect(stream).toEqual({ head: rows[2]?.proof, same: true });
  });

  it('the first event with a proof names the values its unit uses up', async () => {
    const [one, other] = ['a', 'b'].map((prefix) => `${prefix}${randomUUID()}`) as [string, string];
    const expiresAt = new Date('2099-01-01T00:00:00.000Z');
    await store.transact(async () => {
      await accounts.save(other, 0, [open(), payIn(1)], {
        consume: [{ kind: 'handle', hash: hash(other), bindsStream: true }],
      });
      await accounts.save(one, 0, [open()]);
      await store.consume({ kind: 'nonce', hash: hash(one), expiresAt, note: 'kept apart' });
    });
    const [first, second] = await eventsOf(other);
    expect(first?.metadata['used']).toEqual([
      { kind: 'handle', hash: hash(other).toString('base64url'), bound: true },
      { kind: 'nonce', hash: hash(one).toString('base64url'), expiresAt: expiresAt.toISOString() },
    ]);
    expect(second?.metadata).not.toHaveProperty('used');
    expect((await eventsOf(one))[0]?.metadata).not.toHaveProperty('used');
  });

  it('an event that is added by hand has none, and the chain goes on behind it', async () => {
    const id = randomUUID();
    await accounts.save(id, 0, [open()]);
    await select(
      `insert into events (stream_id, version, type, data, metadata)
       values ($1, 2, 'PaidIn', '{"amount":5}', '{"unit":"x","version":1}')`,
      `account-${id}`,
    );
    await select(
      `update streams set version = 2, updated_at = now(), state = state || '{"balance": 5}' where stream_id = $1`,
      `account-${id}`,
    );
    await accounts.save(id, 2, [payIn(1)]);
    expect((await eventsOf(id)).map(({ proof }) => proof !== null)).toEqual([true, false, true]);
    expect((await accounts.load(id)).state).toMatchObject({ balance: 6 });
  });
});
