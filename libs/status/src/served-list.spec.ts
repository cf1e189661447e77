import { StoreUnavailableError } from '@app/event-store';
import { ServedList } from './served-list';
import type { ListedEntry, ListVersion } from './status-changes';

const signatory = { ttl: 300, now: () => new Date('2026-11-20T10:00:00Z'), keyId: () => 'k1' };
const first: ListVersion = { number: 1, history: 'first' };

/** A database with one list. */
class Changes {
  asked = 0;
  isDown = false;
  version = first;
  /** By the number of the version that has them first. */
  entries: Record<number, ListedEntry[]> = { 1: [{ entry: 7, status: 1 }] };

  versionOf(): Promise<ListVersion> {
    this.asked++;
    if (this.isDown) return Promise.reject(new StoreUnavailableError('down', false));
    return Promise.resolve(this.version);
  }

  after(_listId: string, from: number, upTo: number): Promise<ListedEntry[]> {
    const within = Object.entries(this.entries).filter(([number]) => Number(number) > from && Number(number) <= upTo);
    return Promise.resolve(within.flatMap(([, entries]) => entries));
  }
}

let elapsed = 0;
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Until the list is compared again. */
function age(): void {
  elapsed += 500;
}

describe('a list in memory', () => {
  it.each<[string, ListVersion]>([
    ['the same number', { ...first, history: 'second' }],
    ['a higher number', { number: 2, history: 'second' }],
  ])('is read anew when the database has another history, with %s', async (_what, version) => {
    const changes = new Changes();
    const list = new ServedList('l', 64, changes, signatory);
    const sign = () => Promise.resolve('signed');
    expect([await list.statusOf(7), await list.statusOf(8)]).toEqual([1, 0]);
    const { tag } = await list.document('token', sign);
    changes.version = version;
    changes.entries = { 1: [{ entry: 8, status: 1 }], 2: [] };
    age();
    expect([await list.statusOf(7), await list.statusOf(8)]).toEqual([0, 1]);
    expect((await list.document('token', sign)).tag).not.toBe(tag);
  });

  it('is served as it was while the database is down, to all who waited, after one attempt', async () => {
    const changes = new Changes();
    const list = new ServedList('l', 64, changes, signatory);
    await list.statusOf(7);
    changes.isDown = true;
    age();
    const served = await Promise.all(Array.from({ length: 20 }, () => list.statusOf(7)));
    expect(new Set(served)).toEqual(new Set([1]));
    expect(changes.asked).toBe(2);
    changes.isDown = false;
    changes.version = { ...first, number: 2 };
    changes.entries[2] = [{ entry: 8, status: 2 }];
    age();
    expect(await list.statusOf(8)).toBe(2);
  });

  it('is served to nobody before it was read once', async () => {
    const changes = new Changes();
    changes.isDown = true;
    const list = new ServedList('l', 64, changes, signatory);
    await expect(list.statusOf(7)).rejects.toThrow(StoreUnavailableError);
  });
});
