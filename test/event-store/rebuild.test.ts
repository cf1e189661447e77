import { randomUUID } from 'node:crypto';
import {
  EventStore,
  type Aggregate,
  type Finding,
  type RangeWorker,
  type Reached,
  type SqlDriver,
} from '@app/event-store';
import { databaseKinds, startDatabase, type TestDatabase } from '../support/database/databases';
import { eventually, open, payIn, repositories } from './accounts';

describe.each(databaseKinds)('rebuilding states (%s)', (kind) => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];

  beforeAll(async () => {
    database = await startDatabase(kind);
    ({ driver, store } = await database.open());
    ({ accounts } = repositories(store));
    for (let i = 0; i < 450; i++) await accounts.save(`${i}`, 0, [open(`owner-${i % 3}`), payIn(i)]);
    await Promise.all(Array.from({ length: 100 }, async (_, i) => accounts.save(`${i}`, 2, [payIn(1)])));
  });
  afterAll(() => database.stop());

  const tamper = (text: string): Promise<unknown[]> =>
    driver.query({ name: `tamper ${text.length}`, text, values: [] });

  it('finds that every state matches its events', async () => {
    expect(await store.verify()).toMatchObject({ streams: 450, events: 1_000, differing: [], findings: 0 });
  });

  it.each([
    ['a state', `update streams set state = state || '{"balance": 1000000}' where stream_id = 'account-17'`],
    ['a version', `update streams set version = version + 1 where stream_id = 'account-17'`],
    ['a parent', `update streams set parent = 'eve' where stream_id = 'account-17'`],
    [
      'a time, by a microsecond',
      `update streams set updated_at = updated_at + interval '1 us' where stream_id = 'account-17'`,
    ],
    ['a state that is gone', `delete from streams where stream_id = 'account-17'`],
    [
      'a state without events',
      `insert into streams select 'account-17x', category, parent, version, state, created_at, updated_at
       from streams where stream_id = 'account-18'`,
    ],
  ])('finds %s that was tampered with, and repairs it', async (what, text) => {
    const dump = (): Promise<unknown[]> =>
      driver.query({ name: 'dump', text: 'select s::text from streams s order by stream_id', values: [] });
    const before = await dump();
    await tamper(text);
    const { differing } = await store.verify();
    expect(differing).toEqual([what === 'a state without events' ? 'account-17x' : 'account-17']);
    expect((await store.verify()).differing).toEqual(differing);
    expect((await store.rebuild()).differing).toEqual(differing);
    expect((await store.verify()).differing).toEqual([]);
    expect(await dump()).toEqual(before);
  });

  it('rebuilds all states from nothing, byte for byte', async () => {
    const dump = (): Promise<unknown[]> =>
      driver.query({ name: 'dump', text: 'select s::text from streams s order by stream_id', values: [] });
    const before = await dump();
    await tamper('delete from streams');
    expect((await store.rebuild()).differing).toHaveLength(450);
    expect(await dump()).toEqual(before);
  });

  describe('in ranges, by several workers at once', () => {
    /** Ranges of a few streams each, so that there are many. */
    const several = (work: RangeWorker) => ({ workers: [work, work, work], size: 37 });
    const verifying = () => several((range) => store.verifyRange(range));

    it('finds the same as one after the other', async () => {
      expect(await store.verify(verifying())).toEqual(await store.verify());
      await tamper(`update streams set state = state || '{"balance": -1}' where stream_id ~ '^account-(7|70|31|444)$'`);
      const said: string[] = [];
      const watch = { finding: ({ subject }: Finding) => void said.push(subject), progress: () => undefined };
      const ids = ['account-31', 'account-444', 'account-7', 'account-70'];
      expect(await store.verify({ ...verifying(), watch })).toMatchObject({ differing: ids, findings: 4 });
      expect(said).toEqual(ids);
      const rebuilding = several((range) => store.rebuildRange(range));
      expect(await store.rebuild(rebuilding)).toMatchObject({ streams: 450, events: 1_000, differing: ids });
      expect(await store.verify(verifying())).toMatchObject({ differing: [], findings: 0 });
    });

    it('covers streams that have lost all events, or have never had any, at both ends and in between', async () => {
      const ids = ['aaa-1', 'account-300x', 'zzz-1'];
      await tamper(`insert into streams select id, category, parent, version, state, created_at, updated_at
        from streams, unnest(array['${ids.join("','")}']) as id where stream_id = 'account-1'`);
      expect((await store.verify(verifying())).differing).toEqual(ids);
      expect((await store.rebuild(several((range) => store.rebuildRange(range)))).differing).toEqual(ids);
    });

    it('goes on where an earlier run was interrupted, with all that one has found', async () => {
      await tamper(
        `update streams set state = state || '{"balance": -1}' where stream_id in ('account-10', 'account-99')`,
      );
      const notes: Reached[] = [];
      let left = 9;
      const interrupted: RangeWorker = (range) =>
        left-- > 0 ? store.verifyRange(range) : Promise.reject(new Error('interrupted'));
      const options = { workers: [interrupted], size: 37, reached: (note: Reached) => void notes.push(note) };
      await expect(store.verify(options)).rejects.toThrow('interrupted');
      const from = notes.at(-1);
      expect(from).toMatchObject({ differing: ['account-10'] });
      expect(from?.streams).toBeLessThan(450);
      const again: string[] = [];
      const rest = { ...verifying(), from, reached: ({ after }: Reached) => void again.push(after) };
      expect(await store.verify(rest)).toEqual(await store.verify());
      expect(again.every((after) => after > (from?.after ?? ''))).toBe(true);
      await store.rebuild();
    });

    it('counts nothing twice after an interruption at the very end', async () => {
      const notes: Reached[] = [];
      const reached = (note: Reached): void => void notes.push(note);
      const whole = await store.verify({ ...verifying(), reached });
      expect(await store.verify({ ...verifying(), from: notes.at(-1) })).toEqual(whole);
    });

    it('fails when a worker fails', async () => {
      const broken: RangeWorker = () => Promise.reject(new Error('no memory'));
      await expect(store.verify({ ...verifying(), workers: [broken, broken] })).rejects.toThrow('no memory');
    });
  });

  it('names a category it cannot fold, and leaves its states as they are', async () => {
    const { findings, differing } = await new EventStore(driver).rebuild();
    expect(differing).toEqual([]);
    expect(findings).toHaveLength(450);
    expect(findings[0]).toEqual({ subject: 'account-0', fault: 'no release knows the category "account"' });
  });
});

describe('rebuilding states while a replica writes', () => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];
  beforeAll(async () => {
    database = await startDatabase('postgres');
    ({ driver, store } = await database.open());
    ({ accounts } = repositories(store));
  });
  afterAll(() => database.stop());

  const select = <T>(text: string): Promise<T[]> =>
    driver.query<T>({ name: `rebuild test ${text.length}`, text, values: [] });
  const isHeldUp = async (): Promise<boolean> =>
    (await select(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .length > 0;

  /** Rebuilds while another connection has carried out `statements` and not committed them yet. */
  async function rebuildWhileOpen(statements: string): Promise<Awaited<ReturnType<EventStore['rebuild']>>> {
    const { driver: other } = await database.open();
    let rebuilt: ReturnType<EventStore['rebuild']> | undefined;
    await other.transaction(async (transaction) => {
      await transaction.script(statements);
      rebuilt = store.rebuild();
      await eventually(isHeldUp, 30_000);
    });
    if (rebuilt === undefined) throw new Error('The rebuild was not started.');
    return rebuilt;
  }

  const paidIn = `insert into events (stream_id, version, type, data, metadata)
    values ('account-busy', 2, 'PaidIn', '{"amount":5}', '{"unit":"x","version":1}');`;

  beforeEach(async () => {
    for (const table of ['streams', 'events']) await select(`delete from ${table}`);
    await accounts.save('busy', 0, [open()]);
  });

  it('leaves a newer state that is committed while the old one is about to be stored', async () => {
    await select(`update streams set state = state || '{"balance": 7}'`);
    const newer = `${paidIn} update streams set version = 2, updated_at = (select max(recorded_at) from events),
      state = state || '{"balance": 5}'`;
    expect(await rebuildWhileOpen(newer)).toMatchObject({ streams: 1, differing: ['account-busy'] });
    expect(await accounts.load('busy')).toMatchObject({ version: 2, state: { balance: 5 } });
    expect((await store.verify()).differing).toEqual([]);
  });

  it('repairs a newer state that a replica made from a wrong one', async () => {
    await select(`update streams set state = state || '{"balance": 7}'`);
    const newer = `${paidIn} update streams set version = 2, updated_at = (select max(recorded_at) from events),
      state = state || '{"balance": 12}'`;
    await rebuildWhileOpen(newer);
    expect(await accounts.load('busy')).toMatchObject({ version: 2, state: { balance: 5 } });
    expect((await store.verify()).differing).toEqual([]);
  });

  it('leaves a state that is committed where there was none', async () => {
    await select('delete from streams');
    const newer = `${paidIn} insert into streams (stream_id, category, parent, version, state, created_at, updated_at)
      select 'account-busy', 'account', 'ada', 2, '{"status": "open", "owner": "ada", "balance": 5}',
        min(recorded_at), max(recorded_at) from events`;
    await rebuildWhileOpen(newer);
    expect(await accounts.load('busy')).toMatchObject({ version: 2, state: { balance: 5 } });
    expect((await store.verify()).differing).toEqual([]);
  });

  it('leaves a state whose first event is committed while it is about to be removed', async () => {
    await select('delete from events');
    const newer = `insert into events (stream_id, version, type, data, metadata)
      values ('account-busy', 1, 'Opened', '{"owner":"eve"}', '{"unit":"x","version":1}');
      update streams set parent = 'eve', state = state || '{"owner":"eve"}',
      created_at = (select recorded_at from events), updated_at = (select recorded_at from events)`;
    await rebuildWhileOpen(newer);
    expect(await accounts.load('busy')).toMatchObject({ version: 1, state: { owner: 'eve' } });
    expect((await store.verify()).differing).toEqual([]);
  });
});

describe('an event of an earlier version', () => {
  type Old = { type: 'Moved'; place: string };
  type New = { type: 'MovedTo'; address: { city: string } };
  const id = randomUUID();
  const before: Aggregate<{ place: string }, Old> = {
    category: 'house',
    evolve: (_, event) => ({ place: event.place }),
  };
  const after: Aggregate<{ city: string; moves: number }, New> = {
    category: 'house',
    eventVersion: 2,
    evolve: (state, event) => ({ city: event.address.city, moves: (state?.moves ?? 0) + 1 }),
    upcast: ({ type, version, data }) => {
      if (type !== 'Moved' || version !== 1) throw new Error(`Unknown: ${type} ${version}`);
      return { type: 'MovedTo', data: { address: { city: data['place'] } } };
    },
  };

  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase('postgres');
  });
  afterAll(() => database.stop());

  it('is read in the current shape everywhere', async () => {
    const { store: earlier } = await database.open();
    await earlier.repository(before).save(id, 0, [{ type: 'Moved', place: 'Paris' }]);
    const { store } = await database.open();
    const houses = store.repository(after);
    // The stored state has the old shape until the states are rebuilt, which an upgrade that adds an upcaster does.
    expect((await store.rebuild()).differing).toEqual([`house-${id}`]);
    await houses.save(id, 1, [{ type: 'MovedTo', address: { city: 'Rome' } }]);
    expect((await houses.load(id)).state).toEqual({ city: 'Rome', moves: 2 });
    const today = ['Paris', 'Rome'].map((city) => ({ type: 'MovedTo', address: { city } }));
    expect((await houses.events(id)).map((stored) => stored.event)).toEqual(today);
    const seen: unknown[] = [];
    const subscription = store.subscribe('movers', (stored) => {
      seen.push(stored.event);
      return Promise.resolve();
    });
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(seen).toEqual(today);
    await subscription.stop();
    expect((await store.verify()).differing).toEqual([]);
  });
});
