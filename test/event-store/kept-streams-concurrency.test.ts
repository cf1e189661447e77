import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { Loaded } from '@app/event-store';
import { type Account, type AccountEvent, hash, open, payIn } from './accounts';
import { type CountingReplica, startReplica, twoConnections } from './counting-replica';

const { drivers, replicas } = twoConnections();
let one: CountingReplica;
let other: CountingReplica;

beforeEach(async () => {
  [one, other] = await replicas();
});

it('what a read by a handle may return as it was kept only prepares a change, which finds what is true', async () => {
  const [id, handle] = [randomUUID(), hash(randomUUID())];
  await one.accounts.save(id, 0, [open()], { consume: [{ kind: 'h', hash: handle, bindsStream: true }] });
  await other.accounts.update(id, () => [payIn(5)]);
  one.reads();
  expect(await one.accounts.loadByHandle('h', handle, true)).toMatchObject({ id, version: 1 });
  expect(one.reads()).toBe(0);
  const changed = await one.accounts.update(id, ({ state }) => [payIn(state?.balance ?? 0)]);
  expect(changed).toMatchObject({ version: 3, state: { balance: 10 } });
  expect(await one.notes.loadByHandle('h', handle, true)).toBeUndefined();
});

it('many updates by two replicas lose none and decide on nothing but the state that they follow', async () => {
  const amount = fc.integer({ min: -3, max: 3 });
  const step = fc.record({
    replica: fc.integer({ min: 0, max: 1 }),
    stream: fc.integer({ min: 0, max: 2 }),
    and: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    amount,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      async (rounds) => {
        const ids = [randomUUID(), randomUUID(), randomUUID()];
        [one, other] = drivers.map(startReplica) as [CountingReplica, CountingReplica];
        await other.store.ping();
        for (const id of ids) await one.accounts.save(id, 0, [open()]);
        let refusals = 0;
        for (const round of rounds) {
          // Those of a round at the same time.
          await Promise.all(
            round.map(async ({ replica, stream, and, amount }) => {
              const { store, accounts } = replica === 0 ? one : other;
              // The event says what it was decided on; an account never goes below zero.
              const pay = ({ state, version }: Loaded<Account>): AccountEvent[] => {
                const balance = state?.balance ?? 0;
                if (balance + amount < 0) throw new Error('refused');
                return [{ type: 'PaidIn', amount, on: { version, balance } } as AccountEvent];
              };
              const work = async (): Promise<void> => {
                for (const each of new Set([stream, and])) {
                  if (each !== undefined) await accounts.update(ids[each] ?? '', pay, { attempts: 30 });
                }
              };
              await retried(() => store.transact(work)).catch((error: unknown) => {
                if ((error as Error).message !== 'refused') throw error;
                refusals++;
              });
            }),
          );
        }
        let stored = 0;
        for (const id of ids) {
          let model = { balance: 0, version: 1 };
          for (const { event } of (await one.accounts.events(id)).slice(1)) {
            const { amount, on } = event as unknown as { amount: number; on: typeof model };
            expect(on).toEqual(model);
            model = { balance: model.balance + amount, version: model.version + 1 };
            expect(model.balance).toBeGreaterThanOrEqual(0);
            stored++;
          }
          expect(await other.accounts.load(id)).toMatchObject({
            version: model.version,
            state: { balance: model.balance },
          });
        }
        const decisions = rounds.flat().map(({ stream, and }) => new Set([stream, and ?? stream]).size);
        if (refusals === 0) expect(stored).toBe(decisions.reduce((sum, each) => sum + each, 0));
      },
    ),
    { numRuns: 25 },
  );
  expect((await one.store.verify()).differing).toEqual([]);
});

/** A unit that loses too often against the others of its round. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as Error).name !== 'ConflictError') throw error;
    }
  }
}
