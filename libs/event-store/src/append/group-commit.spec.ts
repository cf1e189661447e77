import { inTenant } from '@app/primitives/context';
import { Deadline } from '@app/primitives/time';
import { DatabaseClock } from '../database/database-clock';
import { ConflictError, OutcomeUnknownError, StoreUnavailableError } from '../errors';
import { GroupCommit } from './group-commit';
import { SqlError, type SqlDriver, type Statement } from '../database/sql-driver';
import type { PendingWrite } from './pending-write';

const write = (stream: string, values: string[] = []): PendingWrite => ({
  unit: `unit-of-${stream}`,
  events: [{ streamId: stream, version: 1, type: 'T', data: '{}', metadata: '{}' }],
  streams: [
    {
      streamId: stream,
      category: 'c',
      parent: null,
      version: 1,
      state: '{}',
      foldVersion: 1,
      head: undefined,
      updatedAt: undefined,
    },
  ],
  consumed: values.map((hash) => ({ kind: 'k', hash, streamId: null, expiresAt: null, note: null })),
  dataKeys: [],
  erased: [],
  audit: [],
});

/** Records which streams each statement wrote, or looked up, and answers on demand: with an error or with rows. */
function fakeDriver(): {
  driver: SqlDriver;
  statements: string[];
  values: (readonly unknown[])[];
  answer: (answer?: Error | object[]) => Promise<void>;
} {
  const statements: string[] = [];
  const values: (readonly unknown[])[] = [];
  const open: ((answer: Error | object[]) => void)[] = [];
  const query = (statement: Statement): Promise<object[]> => {
    const streams = (statement.values[0] as string[] | undefined)?.join(' ') ?? statement.name;
    values.push(statement.values);
    statements.push(statement.name === 'committed-units' ? `${streams}?` : streams);
    return new Promise((resolve, reject) => {
      open.push((answer) => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    });
  };
  const answer = async (given: Error | object[] = []): Promise<void> => {
    open.shift()?.(given);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { driver: { kind: 'postgres', query } as unknown as SqlDriver, statements, values, answer };
}

const conflict = (): SqlError =>
  new SqlError('duplicate', '23505', 'events_pkey', 'Key (stream_id, version)=(b, 1) already exists.');

describe('group commit', () => {
  it('sends a unit at once while a writer is free, and those that arrive meanwhile together', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const done = ['a', 'b', 'c', 'd', 'e'].map((stream) => commits.commit(write(stream)));
    expect(statements).toEqual(['a', 'b']);
    await answer();
    expect(statements).toEqual(['a', 'b', 'c d e']);
    await answer();
    await answer();
    await Promise.all(done);
    await commits.settled();
  });

  it('never lets two units of one stream, or with one value, share a statement', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const writes = [write('a'), write('b'), write('c', ['v']), write('c'), write('d', ['v']), write('b'), write('e')];
    const done = writes.map((each) => commits.commit(each));
    for (let i = 0; i < 7; i++) await answer();
    await Promise.all(done);
    expect(statements.slice(0, 3)).toEqual(['a', 'b', 'c e']);
    expect(statements.slice(3).sort()).toEqual(['b', 'c', 'd']);
  });

  it('tries each unit alone after a shared statement failed, and fails only the faulty one', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const done = ['x', 'y', 'a', 'b', 'c'].map((stream) => commits.commit(write(stream)));
    const results = Promise.allSettled(done);
    await answer();
    await answer();
    await answer(conflict());
    expect(statements.slice(2)).toEqual(['a b c', 'a', 'b', 'c']);
    await answer();
    await answer(conflict());
    await answer();
    expect((await results).map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(done[3]).rejects.toThrow(ConflictError);
    await expect(done[3]).rejects.toMatchObject({ streamId: 'b' });
  });

  it('reports to all units of a group that nothing was sent when the database is down', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const done = ['x', 'y', 'a', 'b'].map((stream) => commits.commit(write(stream)));
    const results = Promise.allSettled(done);
    await answer();
    await answer();
    await answer(new StoreUnavailableError('away', false));
    expect(statements).toHaveLength(3);
    expect((await results).map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  });

  it('looks each unit up when the connection of a shared statement was lost, and writes only what is not there', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const done = ['x', 'y', 'a', 'b'].map((stream) => commits.commit(write(stream, [`code-${stream}`])));
    await answer();
    await answer();
    await answer(new StoreUnavailableError('lost', true));
    expect(statements.slice(2)).toEqual(['a b', 'a?', 'b?']);
    await answer([{ unit: 'unit-of-a' }]);
    await answer([{ unit: 'of another writer' }]);
    expect(statements.slice(5)).toEqual(['b']);
    await answer();
    await expect(Promise.all(done)).resolves.toHaveLength(4);
    await commits.settled();
  });

  it('treats a conflict with itself as success when the lost statement is carried out after the lookup', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const done = ['x', 'y', 'a', 'b'].map((stream) => commits.commit(write(stream)));
    const results = Promise.allSettled(done);
    await answer();
    await answer();
    await answer(new StoreUnavailableError('lost', true));
    await answer([]);
    await answer([]);
    await answer(conflict());
    await answer(conflict());
    expect(statements.slice(3)).toEqual(['a?', 'b?', 'a', 'b', 'a?', 'b?']);
    await answer([{ unit: 'unit-of-a' }]);
    await answer([]);
    expect((await results).map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    await expect(done[3]).rejects.toThrow(ConflictError);
  });

  it('says that the outcome is unknown of values that were used up without an event', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const lost = commits.commit({ ...write('a', ['v']), events: [], streams: [] });
    const refused = expect(lost).rejects.toMatchObject({ name: 'OutcomeUnknownError', outcomeUnknown: true });
    await answer(new StoreUnavailableError('lost', true));
    await refused;
    expect(statements).toHaveLength(1);
  });

  it.each(['40001', '40P01'])(
    'takes it for a conflict when the server chose the statement to give way (%s)',
    async (code) => {
      const { driver, answer } = fakeDriver();
      const lost = new GroupCommit(driver).commit(write('a'));
      const refused = expect(lost).rejects.toThrow(ConflictError);
      await answer(new SqlError('give way', code, undefined, undefined));
      await refused;
    },
  );
});

describe('a deadline', () => {
  /** How many wait for it to end. */
  const watched = (deadline: Deadline): (() => number) => {
    const waiting = new Set<object>();
    const onEnd = deadline.onEnd.bind(deadline);
    jest.spyOn(deadline, 'onEnd').mockImplementation((work) => {
      const cancel = onEnd(work);
      waiting.add(cancel);
      return () => {
        waiting.delete(cancel);
        cancel();
      };
    });
    return () => waiting.size;
  };
  /** Two units keep the writers busy. */
  const occupied = (deadline: () => Deadline | undefined) => {
    const fake = fakeDriver();
    const current: (Deadline | undefined)[] = [];
    const commits = new GroupCommit(fake.driver, () => current[0]);
    const busy = [commits.commit(write('x')), commits.commit(write('y'))];
    current.push(deadline());
    return { ...fake, commits, busy };
  };

  it('is left without a trace by units that are stored: a batch has thousands under one', async () => {
    const deadline = new Deadline(60_000);
    const waiting = watched(deadline);
    const { driver, answer } = fakeDriver();
    const commits = new GroupCommit(driver, () => deadline);
    const done = ['a', 'b', 'c', 'd'].map((stream) => commits.commit(write(stream)));
    expect(waiting()).toBe(4);
    for (let statement = 0; statement < 3; statement++) await answer();
    await Promise.all(done);
    expect(waiting()).toBe(0);
  });

  it('ends the wait of a unit, which then is never sent', async () => {
    const { commits, statements, answer, busy } = occupied(() => new Deadline(20));
    await expect(commits.commit(write('a'))).rejects.toMatchObject({ reason: 'deadline', outcomeUnknown: false });
    await answer();
    await answer();
    await Promise.all(busy);
    expect(statements).toEqual(['x', 'y']);
    expect(commits.backlog()).toMatchObject({ units: 0, bytes: 0, dropped: { deadline: 1 } });
  });

  it('comes early for a unit whose client has gone', async () => {
    const deadline = new Deadline(60_000);
    const { commits, statements, answer, busy } = occupied(() => deadline);
    const dropped = expect(commits.commit(write('a'))).rejects.toMatchObject({ reason: 'client_gone' });
    deadline.end();
    await dropped;
    await answer();
    await answer();
    await Promise.all(busy);
    expect(statements).toEqual(['x', 'y']);
  });

  it('leaves a unit that was sent with an unknown outcome, and does not send it again', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver, () => new Deadline(20));
    await expect(commits.commit(write('a'))).rejects.toThrow(OutcomeUnknownError);
    await answer(new StoreUnavailableError('lost', true));
    await commits.settled();
    expect(statements).toEqual(['a']);
  });

  it('is in the statement by the clock of the database', async () => {
    const { driver, statements, answer, values } = fakeDriver();
    const clock = new DatabaseClock();
    clock.observe(new Date(Date.now() + 3_600_000));
    const done = new GroupCommit(driver, () => new Deadline(5_000), clock).commit(write('a'));
    const until = new Date(String(values[0]?.at(-1))).getTime() - Date.now() - 3_600_000;
    expect(until).toBeLessThan(5_100);
    expect(until).toBeGreaterThan(0);
    await answer();
    await done;
    expect(statements).toEqual(['a']);
  });

  it('that has passed by the database alone asks for its clock and tries again', async () => {
    const { driver, statements, answer } = fakeDriver();
    const done = new GroupCommit(driver, () => new Deadline(60_000)).commit(write('a'));
    await answer(new SqlError('division by zero', '22012', undefined, undefined));
    expect(statements).toEqual(['a', 'clock']);
    await answer([{ now: new Date() }]);
    await answer();
    await done;
    expect(statements).toEqual(['a', 'clock', 'a']);
  });
});

describe('a unit that presumes what streams are', () => {
  it('is not sent again when it came too late by the clock by which it was decided', async () => {
    const { driver, statements, answer } = fakeDriver();
    const done = new GroupCommit(driver).commit({ ...write('a'), presumed: [] });
    const refused = expect(done).rejects.toThrow(ConflictError);
    await answer(new SqlError('division by zero', '22012', undefined, undefined));
    await answer([{ now: new Date() }]);
    await refused;
    expect(statements).toEqual(['a', 'clock']);
  });

  it('is no conflict when it comes late a second time and was stored by the first', async () => {
    const { driver, statements, answer } = fakeDriver();
    const presumed = [{ streamId: 'a', version: 0, head: null, tx: '700', sealed: false }];
    const done = new GroupCommit(driver).commit({ ...write('a'), presumed });
    const stored = expect(done).resolves.toBeUndefined();
    await answer(new StoreUnavailableError('lost', true));
    await answer([]);
    await answer(new SqlError('division by zero', '22012', undefined, undefined));
    await answer([{ now: new Date() }]);
    await answer([{ unit: 'unit-of-a' }]);
    await stored;
    expect(statements).toEqual(['a', 'a?', 'a', 'clock', 'a?']);
  });

  it('fails by itself when a stream is otherwise, and not those that share its statement', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const presumed = [{ streamId: 'a', version: 1, head: null, tx: '700', sealed: false }];
    const done = ['x', 'y', 'a', 'b'].map((stream) => commits.commit({ ...write(stream), presumed }));
    const results = Promise.allSettled(done);
    const otherwise = new SqlError('cannot take square root', '2201F', undefined, undefined);
    for (const each of [undefined, undefined, otherwise, otherwise, undefined]) await answer(each);
    expect(statements.slice(2)).toEqual(['a b', 'a', 'b']);
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(done[2]).rejects.toThrow(ConflictError);
  });
});

describe('the queue of the writers', () => {
  it('has an end in units and in bytes', async () => {
    const { driver } = fakeDriver();
    const commits = new GroupCommit(driver);
    const large = { ...write('l'), streams: [{ ...write('l').streams[0], state: 'x'.repeat(20 * 1024 * 1024) }] };
    const send = (each: PendingWrite): Promise<unknown> => {
      const result = commits.commit(each).catch((error: unknown) => error);
      return Promise.race([result, new Promise((resolve) => setImmediate(resolve))]);
    };
    for (const stream of ['x', 'y']) await send(write(stream));
    expect(await send(large as PendingWrite)).toBeUndefined();
    expect(await send(large as PendingWrite)).toMatchObject({ reason: 'queue_full' });
    const small = Array.from({ length: 2_000 }, (_, i) =>
      commits.commit(write(`s${i}`)).catch((error: unknown) => error),
    );
    expect(await small.at(-1)).toMatchObject({ reason: 'queue_full' });
    expect(commits.backlog()).toMatchObject({ units: 2_000, dropped: { queue_full: 2 } });
  });
});

describe('units of several tenants', () => {
  const as = (mark: string) => ({ id: mark, mark, made: new Map<object, object>() });

  it('take turns: one that has much waiting delays the first of another by no statement', async () => {
    const { driver, statements, answer } = fakeDriver();
    const commits = new GroupCommit(driver);
    const ofA = inTenant(as('aaaaaaaa'), () =>
      Array.from({ length: 10_000 }, (_, n) => commits.commit(write(`a${n}`)).catch((error: unknown) => error)),
    );
    expect(await ofA.at(-1)).toMatchObject({ reason: 'queue_full' });
    const ofB = inTenant(as('bbbbbbbb'), () => [0, 1].map((n) => commits.commit(write(`b${n}`))));
    const ofService = commits.commit(write('s0'));
    await answer();
    const group = statements[2]?.split(' ') ?? [];
    expect(group).toHaveLength(64);
    expect(group).toEqual(expect.arrayContaining(['a2', 'b0', 'b1', 's0']));
    for (let statement = 0; statement < 40; statement++) await answer();
    await Promise.all([...ofA, ...ofB, ofService]);
    expect(commits.backlog()).toMatchObject({ units: 0, bytes: 0 });
  });

  it('have a part of the queue each, also when another has filled it', async () => {
    const { driver } = fakeDriver();
    const commits = new GroupCommit(driver);
    const send = (mark: string, count: number): Promise<unknown>[] =>
      inTenant(as(mark), () =>
        Array.from({ length: count }, (_, n) => commits.commit(write(`${mark}${n}`)).catch((error: unknown) => error)),
      );
    void Promise.all(send('aaaaaaaa', 2_002));
    const ofB = send('bbbbbbbb', 501);
    expect(await ofB.at(-1)).toMatchObject({ reason: 'queue_full' });
    expect(commits.backlog()).toMatchObject({ units: 2_500, dropped: { queue_full: 1 } });
  });
});

describe('a unit that has nothing but rows of the audit', () => {
  it('is sent again with the same ids when its answer was lost', async () => {
    const row = { principal: 'p', client: null, action: 'a', object: null, outcome: 'ok', requestId: null, tenant: '' };
    const sent: unknown[] = [];
    const query = (statement: Statement): Promise<object[]> => {
      sent.push({ name: statement.name, ids: statement.values[0], text: statement.text });
      return sent.length === 1 ? Promise.reject(new StoreUnavailableError('lost', true)) : Promise.resolve([]);
    };
    const commits = new GroupCommit({ kind: 'postgres', query } as unknown as SqlDriver);
    await commits.commit({ ...write('a'), events: [], streams: [], audit: [{ ...row, id: 'chosen-before' }] });
    const expected = { name: 'audit-record', ids: ['chosen-before'] };
    expect(sent).toEqual([
      expect.objectContaining(expected),
      { ...expected, text: expect.stringContaining('on conflict (id) do nothing') as string },
    ]);
  });

  it('says that the audit cannot be written when the database refuses the table', async () => {
    const refused = new SqlError('permission denied for table audit', '42501', undefined, undefined);
    const query = (): Promise<object[]> => Promise.reject(refused);
    const commits = new GroupCommit({ kind: 'postgres', query } as unknown as SqlDriver);
    await expect(commits.commit(write('a'))).rejects.toThrow('The audit cannot be written.');
  });
});
