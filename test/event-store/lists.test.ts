import { randomUUID } from 'node:crypto';
import {
  type Aggregate,
  type EventStore,
  InvalidCursorError,
  type Repository,
  type StateListQuery,
} from '@app/event-store';
import { databaseKinds, startDatabase, type TestDatabase } from '../support/database/databases';
import { open, repositories } from './accounts';

type Asked = { readonly type: 'Asked' } & Question;
interface Question {
  readonly status: string;
  readonly expiresAt: string;
}

/** Of a category whose states have an index. */
const question: Aggregate<Question, Asked> = {
  category: 'authorization_request',
  evolve: (_state, { status, expiresAt }) => ({ status, expiresAt }),
  stateIndex: 'authorization_requests_by_status',
};

describe.each(databaseKinds)('lists of the event store (%s)', (kind) => {
  let database: TestDatabase;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];
  let questions: Repository<Question, Asked>;
  let notes: ReturnType<typeof repositories>['notes'];

  beforeAll(async () => {
    database = await startDatabase(kind);
    ({ store } = await database.open());
    ({ accounts, notes } = repositories(store));
    questions = store.repository(question);
  });
  afterAll(() => database.stop());

  it('pages through everything once, in order, by an opaque cursor', async () => {
    const owner = randomUUID();
    const ids = Array.from({ length: 7 }, (_, index) => `${owner}-${index}`);
    for (const id of ids.slice(0, 4)) await accounts.save(id, 0, [open(owner)]);
    await store.transact(async () => {
      for (const id of ids.slice(4)) await accounts.save(id, 0, [open(owner)]); // the same creation time
    });
    const all = async (order: 'oldest' | 'newest') => {
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await accounts.list({ parent: owner, order, limit: 2, cursor });
        seen.push(...page.items.map((item) => item.id));
        expect(page.items.length).toBeLessThanOrEqual(2);
        if (page.nextCursor === null) return seen;
        cursor = page.nextCursor;
      }
    };
    expect(await all('oldest')).toEqual(ids);
    expect(await all('newest')).toEqual([...ids].reverse());
    const exact = await accounts.list({ parent: owner, limit: 7 });
    expect(exact.items).toHaveLength(7);
    expect(exact.nextCursor).toBeNull();
  });

  it('filters by members of the state', async () => {
    const owner = randomUUID();
    await accounts.save(`${owner}-1`, 0, [open(owner)]);
    await accounts.save(`${owner}-2`, 0, [open(owner), { type: 'Closed' }]);
    const { items } = await accounts.list({ where: { status: 'closed', owner }, limit: 10 });
    expect(items.map((item) => item.id)).toEqual([`${owner}-2`]);
    expect(items[0]).toMatchObject({
      version: 2,
      state: { status: 'closed' },
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect((await accounts.list({ parent: owner, where: { status: 'lost' }, limit: 10 })).items).toEqual([]);
  });

  it('pages through streams in some states, by the clock of the database, in the order of expiry', async () => {
    const { now } = await questions.load('any');
    const at = (milliseconds: number): string => new Date(now.getTime() + milliseconds).toISOString();
    const asked = async (id: string, status: string, expiresAt: string): Promise<unknown> =>
      questions.save(id, 0, [{ type: 'Asked', status, expiresAt }]);
    // The order of creation is another than that of expiry; the last two expire at the same time.
    await asked('late', 'pending', at(120_000));
    await asked('over', 'pending', at(-1));
    await asked('soon', 'pending', at(60_000));
    await asked('pend', 'pend', at(60_000));
    await asked('seen-over', 'retrieved', at(-2));
    await asked('done-2', 'verified', at(-1));
    await asked('done-1', 'verified', at(-1));
    const found = async (query: Omit<StateListQuery, 'limit'>, limit: number): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await questions.listInStates({ limit, cursor, ...query });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        expect(Math.abs(page.now.getTime() - now.getTime())).toBeLessThan(30_000);
        seen.push(...page.items.map(({ id }) => id));
        if (page.nextCursor === null) return seen;
        cursor = page.nextCursor;
      }
    };
    for (const limit of [1, 2, 10]) {
      expect(await found({ statuses: ['pending'] }, limit)).toEqual(['late', 'soon', 'over']);
      expect(await found({ statuses: ['pending'], expiry: 'future' }, limit)).toEqual(['late', 'soon']);
      expect(await found({ statuses: ['retrieved', 'pending'], expiry: 'past' }, limit)).toEqual(['over', 'seen-over']);
      expect(await found({ statuses: ['verified'] }, limit)).toEqual(['done-2', 'done-1']);
      expect(await found({ statuses: ['rejected'] }, limit)).toEqual([]);
    }
  });

  it('counts the streams of a parent, also those that came since it was counted', async () => {
    const owner = randomUUID();
    expect(await accounts.countChildren(owner)).toBe(0);
    for (const count of [1, 2]) {
      await accounts.save(`${owner}-${count}`, 0, [open(owner)]);
      expect(await accounts.countChildren(owner)).toBe(count);
    }
  });

  it('rejects the cursor of a list in another order', async () => {
    for (const id of ['a', 'b']) {
      await questions.save(id, 0, [{ type: 'Asked', status: 'pending', expiresAt: '2999-01-01T00:00:00.000Z' }]);
    }
    const byCreation = (await questions.list({ limit: 1 })).nextCursor ?? '';
    const byExpiry = (await questions.listInStates({ statuses: ['pending'], limit: 1 })).nextCursor ?? '';
    await expect(questions.list({ limit: 1, cursor: byExpiry })).rejects.toThrow(InvalidCursorError);
    const mixed = questions.listInStates({ statuses: ['pending'], limit: 1, cursor: byCreation });
    await expect(mixed).rejects.toThrow(InvalidCursorError);
  });

  it('rejects a cursor it has not issued', async () => {
    await accounts.save(randomUUID(), 0, [open()]);
    await accounts.save(randomUUID(), 0, [open()]);
    const { nextCursor } = await accounts.list({ limit: 1 });
    const forged = (text: string) => Buffer.from(text).toString('base64url');
    const broken = [
      '',
      'x',
      `${nextCursor ?? ''}A`,
      (nextCursor ?? '').slice(0, -2),
      forged('2026-13-01T00:00:00.000000Z account-1'),
      forged('2026-02-31T00:00:00.000000Z account-1'),
      forged(`2026-01-01T00:00:00.000000Z account-\0`),
      forged('now account-1'),
    ];
    for (const cursor of broken) await expect(accounts.list({ limit: 1, cursor })).rejects.toThrow(InvalidCursorError);
    await expect(notes.list({ limit: 1, cursor: nextCursor ?? '' })).rejects.toThrow(InvalidCursorError);
  });
});
