import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { copyDatabase, sharedPostgres } from '../support/database/postgres';
import { openAllocator, signer } from './allocator';
import type { Asked } from './allocator.process';

interface Taken {
  readonly listId: string;
  readonly indices: readonly number[];
}

const idsOf = (all: readonly Taken[]): string[] =>
  all.flatMap(({ listId, indices }) => indices.map((index) => `${listId}/${index}`));

async function start(database: string, entries: number): Promise<ChildProcess> {
  const child = fork(join(__dirname, 'allocator.process.ts'), [database, String(entries)], {
    execArgv: ['-r', join(__dirname, '../event-store/typescript.js')],
  });
  await once(child, 'message');
  return child;
}

async function take(child: ChildProcess, asked: Asked): Promise<Taken[]> {
  child.send(asked);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The process has ended.')));
  const [taken] = (await Promise.race([once(child, 'message'), ended])) as [Taken[]];
  return taken;
}

describe('entries of status lists', () => {
  it('are all different when three processes take 100,000', async () => {
    const size = 2 ** 17;
    const database = await sharedPostgres().createDatabase();
    const processes = await Promise.all(Array.from({ length: 3 }, () => start(database, size)));
    const taken: Taken[] = [];
    for (const copies of [1, 10, 3]) {
      const times = Math.ceil(100_000 / 9 / copies);
      const rounds = await Promise.all(processes.map((one) => take(one, { times, copies })));
      taken.push(...rounds.flat());
    }
    const ids = idsOf(taken);
    expect(ids.length).toBeGreaterThanOrEqual(100_000);
    expect(new Set(ids).size).toBe(ids.length);
    expect(taken.flatMap(({ indices }) => indices).every((index) => index >= 0 && index < size)).toBe(true);
    // Replicas that open a list at the same time open one; a list is used up to its half.
    const lists = new Map<string, number>();
    for (const { listId, indices } of taken) lists.set(listId, (lists.get(listId) ?? 0) + indices.length);
    expect([...lists.values()].every((used) => used <= size / 2)).toBe(true);
    expect(lists.size).toBe(2);
    for (const one of processes) one.disconnect();
  });

  it('that were handed out after a backup are not handed out again after its restore', async () => {
    const database = await sharedPostgres().createDatabase();
    const before = await openAllocator(database, 2 ** 17);
    const backedUp = await before.allocator.take(signer, 10);
    await before.store.close();
    const restored = await copyDatabase(database);
    const [after, again] = [await openAllocator(database, 2 ** 17), await openAllocator(restored, 2 ** 17)];
    // More than one block: the same counter would come to the same entries.
    const takeMany = async ({ allocator }: typeof after) =>
      idsOf(await Promise.all(Array.from({ length: 300 }, () => allocator.take(signer, 1))));
    const lost = await takeMany(after);
    const fresh = await takeMany(again);
    expect(lost.every((id) => id.startsWith(backedUp.listId))).toBe(true);
    expect(fresh.filter((id) => id.startsWith(backedUp.listId))).toEqual([]);
    await after.store.close();
    await again.store.close();
  });
});
