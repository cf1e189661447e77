import { StoreUnavailableError } from '@app/event-store';
import { SignerError } from '@app/keys';
import { ServedList, type Sign } from './served-list';
import { type ListChanges, type ListVersion, ListAlteredError } from './status-changes';

const signatory = { ttl: 300, now: () => new Date('2026-11-20T10:00:00Z') };
const digest = Buffer.alloc(0);
const first: ListVersion = { number: 1, history: 'first', digest };
const change = (entry: number, status: number) => ({ entry, status, streamVersion: 1, changedAt: 0 });

/** A database with one list. */
class Changes {
  asked = 0;
  failure: Error | undefined;
  version = first;
  /** By the number of the version that has them first. */
  entries: Record<number, ReturnType<typeof change>[]> = { 1: [change(7, 1)] };

  since(_listId: string, known: ListVersion): Promise<ListChanges | undefined> {
    this.asked++;
    if (this.failure) return Promise.reject(this.failure);
    const { number, history } = this.version;
    if (number === known.number && history === known.history) return Promise.resolve(undefined);
    const isSequel = history === known.history;
    const after = Object.entries(this.entries).filter(([from]) => !isSequel || Number(from) > known.number);
    return Promise.resolve({ version: this.version, entries: after.flatMap(([, entries]) => entries), isSequel });
  }
}

const down = () => new StoreUnavailableError('down', false);

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
    ['a higher number', { number: 2, history: 'second', digest }],
  ])('is read anew when the database has another history, with %s', async (_what, version) => {
    const changes = new Changes();
    const list = new ServedList('l', 64, changes, signatory);
    const signer = () => ({ keyId: 'k1', sign: () => Promise.resolve('signed') });
    expect([await list.statusOf(7), await list.statusOf(8)]).toEqual([1, 0]);
    const { tag } = await list.document('token', signer);
    changes.version = version;
    changes.entries = { 1: [change(8, 1)], 2: [] };
    age();
    expect([await list.statusOf(7), await list.statusOf(8)]).toEqual([0, 1]);
    expect((await list.document('token', signer)).tag).not.toBe(tag);
  });

  it.each<[string, () => Error]>([
    ['the database is down', down],
    ['nothing says any more what it should say', () => new ListAlteredError()],
  ])('is served as it was while %s, to all who waited, after one attempt', async (_why, failure) => {
    const changes = new Changes();
    const list = new ServedList('l', 64, changes, signatory);
    await list.statusOf(7);
    changes.failure = failure();
    age();
    const served = await Promise.all(Array.from({ length: 20 }, () => list.statusOf(7)));
    expect(new Set(served)).toEqual(new Set([1]));
    expect(changes.asked).toBe(2);
    changes.failure = undefined;
    changes.version = { ...first, number: 2 };
    changes.entries[2] = [change(8, 2)];
    age();
    expect(await list.statusOf(8)).toBe(2);
  });

  it('is served for no longer than a ttl as it was when nothing says any more what it should say', async () => {
    const changes = new Changes();
    const list = new ServedList('l', 64, changes, signatory);
    await list.statusOf(7);
    changes.failure = new ListAlteredError();
    elapsed += signatory.ttl * 1000 + 1;
    await expect(list.statusOf(7)).rejects.toMatchObject({ slug: 'unavailable', status: 503 });
  });

  it('is served to nobody before it was read once', async () => {
    const changes = new Changes();
    changes.failure = down();
    const list = new ServedList('l', 64, changes, signatory);
    await expect(list.statusOf(7)).rejects.toThrow(StoreUnavailableError);
  });

  describe('whose signer', () => {
    const busy = () => Promise.reject(new SignerError('hsm', 'unreachable'));
    const by = (sign: Sign) => () => ({ keyId: 'k1', sign });
    let seconds: number;
    const begin = () => {
      seconds = Date.parse('2026-11-20T10:00:00Z') / 1000;
      const changes = new Changes();
      const list = new ServedList('l', 64, changes, { ...signatory, now: () => new Date(seconds * 1000) });
      return { changes, list };
    };
    const later = (by: number) => {
      seconds += by;
      elapsed += by * 1000;
    };

    it('does not sign is served as it was signed before, until that expires, and asks once in five seconds', async () => {
      const { changes, list } = begin();
      const before = await list.document(
        'token',
        by(() => Promise.resolve('before')),
      );
      changes.version = { ...first, number: 2 };
      changes.entries[2] = [change(8, 2)];
      const sign = jest.fn(busy);
      later(1);
      for (let times = 0; times < 3; times++) expect(await list.document('token', by(sign))).toBe(before);
      expect(sign).toHaveBeenCalledTimes(1);
      expect(await list.statusOf(8)).toBe(2);
      later(5);
      expect(
        await list.document(
          'token',
          by(() => Promise.resolve('after')),
        ),
      ).toMatchObject({ token: 'after' });
      later(3 * signatory.ttl - 1);
      expect(await list.document('token', by(busy))).toMatchObject({ token: 'after' });
      later(1);
      await expect(list.document('token', by(busy))).rejects.toMatchObject({ fault: 'unreachable' });
    });

    it('hangs is served as before to all who come, and with the signature when there is one', async () => {
      const { list } = begin();
      const before = await list.document(
        'token',
        by(() => Promise.resolve('before')),
      );
      later(signatory.ttl);
      const answers: (() => void)[] = [];
      const sign = () => new Promise<string>((resolve) => void answers.push(() => resolve('after')));
      const served = await Promise.all(Array.from({ length: 20 }, () => list.document('token', by(sign))));
      expect(new Set(served)).toEqual(new Set([before]));
      expect(answers).toHaveLength(1);
      answers[0]?.();
      await new Promise(setImmediate);
      expect(await list.document('token', by(sign))).toMatchObject({ token: 'after' });
    });

    it('has no key is served as before, and another form is signed by who signs that', async () => {
      const { list } = begin();
      const missing = () => {
        throw new SignerError('hsm', 'missing');
      };
      await expect(list.document('token', missing)).rejects.toThrow('missing');
      const before = await list.document(
        'token',
        by(() => Promise.resolve('before')),
      );
      const bytes = Buffer.from('bytes');
      await list.document(
        'cwt',
        by(() => Promise.resolve(Buffer.of())),
      );
      later(signatory.ttl);
      expect(await list.document('token', missing)).toBe(before);
      expect(await list.document('token', by(busy))).toBe(before);
      expect(
        await list.document(
          'cwt',
          by(() => Promise.resolve(bytes)),
        ),
      ).toMatchObject({ token: bytes });
    });

    it('fails for another reason is not covered up', async () => {
      const { list } = begin();
      await list.document(
        'token',
        by(() => Promise.resolve('before')),
      );
      later(signatory.ttl);
      await expect(
        list.document(
          'token',
          by(() => Promise.reject(new TypeError('ours'))),
        ),
      ).rejects.toThrow('ours');
    });
  });
});
