import type { Write } from './append';
import { ConflictError, StoreUnavailableError } from './errors';
import { GroupCommit } from './group-commit';
import { SqlError, type SqlDriver, type Statement } from './sql-driver';

const write = (stream: string, values: string[] = []): Write => ({
  unit: `unit-of-${stream}`,
  events: [{ streamId: stream, version: 1, type: 'T', data: '{}', metadata: '{}' }],
  streams: [{ streamId: stream, category: 'c', parent: null, version: 1, state: '{}' }],
  consumed: values.map((hash) => ({ kind: 'k', hash, streamId: null, expiresAt: null, note: null })),
  dataKeys: [],
  erased: [],
});

/** Records which streams each statement wrote, or looked for, and answers when told: with an error or with rows. */
function fakeDriver(): {
  driver: SqlDriver;
  statements: string[];
  answer: (answer?: Error | object[]) => Promise<void>;
} {
  const statements: string[] = [];
  const open: ((answer: Error | object[]) => void)[] = [];
  const query = (statement: Statement): Promise<object[]> => {
    const streams = (statement.values[0] as string[]).join(' ');
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
  return { driver: { kind: 'postgres', query } as unknown as SqlDriver, statements, answer };
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

  it('tries each unit alone after a shared statement failed, and tells only the guilty one', async () => {
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

  it('tells all units of a group that nothing was sent when the database is away', async () => {
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
    await answer([{ unit: 'of somebody else' }]);
    expect(statements.slice(5)).toEqual(['b']);
    await answer();
    await expect(Promise.all(done)).resolves.toHaveLength(4);
    await commits.settled();
  });

  it('takes a conflict with itself for success when the lost statement is carried out after the look', async () => {
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
    const refused = expect(lost).rejects.toMatchObject({ name: 'StoreUnavailableError', outcomeUnknown: true });
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
