import { randomUUID } from 'node:crypto';
import { type EventStore, InvalidCursorError, type ListQuery } from '@app/event-store';
import { databaseKinds, startDatabase, type TestDatabase } from '../support/databases';
import { type AccountEvent, open, repositories } from './accounts';

describe.each(databaseKinds)('lists of the event store (%s)', (kind) => {
  let database: TestDatabase;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];
  let notes: ReturnType<typeof repositories>['notes'];

  beforeAll(async () => {
    database = await startDatabase(kind);
    ({ store } = await database.open());
    ({ accounts, notes } = repositories(store));
  });
  afterAll(() => database.stop());

  it('pages through everything once, in order, by a cursor that tells nothing', async () => {
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

  it('filters by one of several states, by what a state is not, and by the clock of the database', async () => {
    const owner = randomUUID();
    const { now } = await accounts.load('any');
    const at = (milliseconds: number): string => new Date(now.getTime() + milliseconds).toISOString();
    const opened = (closesAt?: string): AccountEvent => ({ type: 'Opened', owner, ...(closesAt && { closesAt }) });
    await accounts.save(`${owner}-over`, 0, [opened(at(-1))]);
    await accounts.save(`${owner}-closed`, 0, [opened(at(-1)), { type: 'Closed' }]);
    await accounts.save(`${owner}-running`, 0, [opened(at(60_000))]);
    await accounts.save(`${owner}-lasting`, 0, [opened()]);
    const found = async (query: Omit<ListQuery, 'limit'>): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await accounts.list({ parent: owner, limit: 1, cursor, ...query });
        expect(Math.abs(page.now.getTime() - now.getTime())).toBeLessThan(30_000);
        seen.push(...page.items.map(({ id }) => id.slice(owner.length + 1)));
        // The clock of the embedded database counts milliseconds, so their order is open.
        if (page.nextCursor === null) return seen.sort();
        cursor = page.nextCursor;
      }
    };
    expect(await found({ whereTime: { member: 'closesAt', is: 'past' } })).toEqual(['closed', 'over']);
    expect(await found({ whereTime: { member: 'closesAt', is: 'future' } })).toEqual(['running']);
    expect(await found({ whereNot: { status: 'closed' } })).toEqual(['lasting', 'over', 'running']);
    const open = { status: 'open' };
    expect(await found({ where: [open, { status: 'lost' }] })).toEqual(['lasting', 'over', 'running']);
    expect(await found({ where: open, whereNot: open })).toEqual([]);
    expect(await found({ where: open, whereTime: { member: 'closesAt', is: 'past' } })).toEqual(['over']);
  });

  it('refuses a cursor it has not handed out', async () => {
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
