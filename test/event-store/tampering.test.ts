import { Logger } from '@nestjs/common';
import {
  CheckpointTaker,
  type Continued,
  EventStore,
  type Finding,
  lastCheckpoint,
  type SqlDriver,
  type Verified,
} from '@app/event-store';
import { startDatabase, type TestDatabase } from '../support/database/databases';
import { untilReadable } from '../support/database/readable-events';
import { account, hash, note, open, payIn, repositories } from './accounts';
import { checkpointKeys as keys, provers } from './provers';

const unproven = 'version 1: carries no proof: it was added by hand';
const tables = ['events', 'streams', 'consumed', 'data_keys', 'checkpoints', 'subscriptions'];

describe('a store whose tables were changed by hand', () => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let store: EventStore;
  let accounts: ReturnType<typeof repositories>['accounts'];
  let taker: CheckpointTaker;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await startDatabase('postgres');
    ({ driver } = await database.open());
    store = new EventStore(driver, undefined, provers);
    ({ accounts } = repositories(store));
    taker = new CheckpointTaker(driver, keys);
    const consume = [{ kind: 'handle', hash: hash('1'), bindsStream: true, expiresAt: new Date('2099-01-01') }];
    await accounts.save('1', 0, [open(), payIn(1), payIn(2)], { consume, dataKey: Buffer.from('sealed') });
    await accounts.save('2', 0, [open(), payIn(1), payIn(2)]);
    await takeAll();
    await accounts.save('3', 0, [open()], { consume: [{ kind: 'nonce', hash: hash('3') }] });
    await store.consume({ kind: 'nonce', hash: hash('4'), expiresAt: new Date('2099-01-01') });
    await takeAll();
    await run(tables.map((table) => `create table saved_${table} as table ${table}`).join(';'));
  });
  beforeEach(async () => {
    await run(
      tables
        .map((table) => {
          const columns =
            table === 'streams' ? '(stream_id, category, parent, version, state, created_at, updated_at, head)' : '';
          const values = table === 'streams' ? columns.slice(1, -1) : '*';
          return `delete from ${table}; insert into ${table} ${columns} overriding system value select ${values} from saved_${table}`;
        })
        .join(';'),
    );
  });
  afterAll(async () => {
    Logger.overrideLogger(['log']);
    await database.stop();
  });

  async function takeAll(): Promise<void> {
    await untilReadable(driver);
    await taker.take();
  }

  const run = (text: string): Promise<void> => driver.transaction((tx) => tx.script(text));

  async function verify(kept?: string, from?: Continued): Promise<Verified & { readonly said: string[] }> {
    const said: string[] = [];
    const finding = ({ subject, fault }: Finding): void => void said.push(`${subject}: ${fault}`);
    const verified = await store.verify({
      ...{ keys, kept: kept === undefined ? [] : [kept], from },
      watch: { finding, progress: () => undefined },
    });
    expect(verified.findings).toBe(said.length);
    return { ...verified, said };
  }

  it('is verified when it is unchanged', async () => {
    expect(await verify()).toMatchObject({
      said: [],
      streams: 3,
      events: 7,
      usedValues: 3,
      checkpoints: { checkpoints: 2, uncovered: 0 },
    });
  });

  it.each([
    [
      'a state',
      `update streams set state = state || '{"balance": 9}' where stream_id = 'account-1'`,
      ['account-1: its stored state differs from its events (state)'],
    ],
    [
      'the head of a chain',
      `update streams set head = null where stream_id = 'account-1'`,
      ['account-1: its stored state differs from its events (head)'],
    ],
    [
      'an event, and the state with it',
      `update events set data = '{"amount": 8}' where stream_id = 'account-1' and version = 2;
       update streams set state = state || '{"balance": 10}' where stream_id = 'account-1'`,
      ['account-1: version 2: its content, its time or the event before it was changed'],
    ],
    [
      'who did it',
      `update events set metadata = metadata || '{"by": "eve"}' where stream_id = 'account-1' and version = 2`,
      ['account-1: version 2: its content, its time or the event before it was changed'],
    ],
    [
      'a time, by a microsecond',
      `update events set recorded_at = recorded_at + interval '1 us' where stream_id = 'account-1' and version = 2`,
      [
        expect.stringMatching(/^checkpoint 1, taken at .*: was taken over other events$/),
        'account-1: version 2: its content, its time or the event before it was changed',
      ],
    ],
    [
      'an event that is gone',
      `delete from events where stream_id = 'account-1' and version = 2`,
      [
        expect.stringMatching(/^checkpoint 1, taken at .*: 1 of its 6 events are gone, which had the positions \d+$/),
        'account-1: version 2 is missing',
        'account-1: version 3: its content, its time or the event before it was changed',
        'account-1: its stored state differs from its events (state)',
      ],
    ],
    [
      'the end of a stream, and the state with it',
      `delete from events where stream_id = 'account-1' and version = 3;
       update streams set version = 2, state = state || '{"balance": 1}',
         updated_at = (select recorded_at from events where stream_id = 'account-1' and version = 2),
         head = (select proof from events where stream_id = 'account-1' and version = 2) where stream_id = 'account-1'`,
      [expect.stringMatching(/^checkpoint 1, taken at .*: 1 of its 6 events are gone, which had the positions \d+$/)],
    ],
    [
      'a whole stream',
      `delete from events where stream_id = 'account-1'; delete from streams where stream_id = 'account-1'`,
      [
        expect.stringMatching(
          /^checkpoint 1, taken at .*: 3 of its 6 events are gone, which had the positions \d+-\d+$/,
        ),
        'account-1: has a data key but no events',
        expect.stringMatching(/^used value handle \w{16}, which finds account-1: the stream has no events left$/),
      ],
    ],
    [
      'a proof that is gone',
      `update events set proof = null where stream_id = 'account-3'; update streams set head = null where stream_id = 'account-3'`,
      [
        expect.stringMatching(/^checkpoint 2, taken at .*: was taken over other events$/),
        'account-3: version 1: carries no proof: it was added by hand',
      ],
    ],
    [
      'a used value that is gone',
      `delete from consumed where kind = 'nonce' and stream_id is null and value_hash = decode('${hash('3').toString('hex')}', 'hex')`,
      [`account-3 version 1: the used value nonce ${hash('3').toString('hex').slice(0, 16)} is missing`],
    ],
    [
      'a handle that finds another stream',
      `update consumed set stream_id = 'account-2' where kind = 'handle'`,
      [`used value handle ${hash('1').toString('hex').slice(0, 16)}, which finds account-2: was changed`],
    ],
    [
      'a used value with a later expiry',
      `update consumed set expires_at = expires_at - interval '1 day' where expires_at is not null and kind = 'nonce'`,
      [`used value nonce ${hash('4').toString('hex').slice(0, 16)}: was changed`],
    ],
    [
      'a handle that was added',
      `insert into consumed (kind, value_hash, stream_id) values ('handle', '\\x00', 'account-2')`,
      ['used value handle 00, which finds account-2: was added by hand: it carries no proof'],
    ],
    [
      'the last checkpoint but one',
      `delete from checkpoints where number = 1`,
      [
        'checkpoint 1: is missing',
        expect.stringMatching(/^events with the positions \S+: no checkpoint covers them, and checkpoint 2 covers/),
      ],
    ],
    [
      'a checkpoint signed with another key',
      `update checkpoints set signed = (select signed from checkpoints where number = 1) where number = 2`,
      ['checkpoint 2: was changed: it is not what this service signed'],
    ],
  ])('is detected: %s', async (_what, tampering, said) => {
    await run(tampering);
    expect((await verify()).said).toEqual(said);
  });

  it('is checked to its end, whatever is broken in between', async () => {
    await run(`
      update events set stream_id = 'unknown-1' where stream_id = 'account-1';
      update events set data = 'null' where stream_id = 'account-2' and version = 1;
      update events set metadata = 'null' where stream_id = 'account-2' and version = 2;
      update streams set state = state || '{"balance": 9}' where stream_id = 'account-3'`);
    const { said, streams, usedValues } = await verify();
    expect({ streams, usedValues }).toEqual({ streams: 4, usedValues: 3 });
    expect(said).toEqual(
      expect.arrayContaining([
        'unknown-1: no release knows the category "unknown"',
        'account-1: has a state but no events',
        'account-2: version 2 cannot be read by this release (TypeError)',
        'account-3: its stored state differs from its events (state)',
      ]),
    );
  });

  it('is detected by a checkpoint kept elsewhere, even when the last one is removed with its events', async () => {
    const kept = `${(await lastCheckpoint(driver)) ?? ''}\n`;
    expect((await verify(kept)).said).toEqual([]);
    await run(`delete from events where stream_id = 'account-3'; delete from streams where stream_id = 'account-3';
      delete from consumed where stream_id is null; delete from checkpoints where number = 2;
      update subscriptions set (tx, position) = (select tx, position from events order by tx desc, position desc limit 1)`);
    expect((await verify()).said).toEqual([]);
    expect((await verify(kept)).said).toEqual([
      expect.stringMatching(/^checkpoint 2 of the file, taken at .*: is not in the database/),
    ]);
  });

  it('has its states, chains and used values restored from its events', async () => {
    await run("delete from streams; delete from consumed where kind = 'handle'");
    const { differing, restored, findings } = await store.rebuild();
    expect({ differing, restored, findings }).toEqual({
      differing: ['account-1', 'account-2', 'account-3'],
      restored: 1,
      findings: [],
    });
    expect((await verify()).said).toEqual([]);
    expect(await accounts.loadByHandle('handle', hash('1'))).toMatchObject({ id: '1', state: { balance: 3 } });
    await accounts.save('1', 3, [payIn(1)]);
    expect((await verify()).said).toEqual([]);
  });

  it('reports nothing while others write', async () => {
    const end = new AbortController();
    const other = new EventStore(driver, undefined, provers);
    const others = { accounts: other.repository(account), notes: other.repository(note) };
    const writer = (async () => {
      for (let i = 0; !end.signal.aborted; i++) {
        const consume = [{ kind: 'handle', hash: hash(`busy ${i}`), bindsStream: true }];
        await others.accounts.save(`busy-${i}`, 0, [open(), payIn(i)], { consume });
        await others.accounts.save(`busy-${i}`, 2, [payIn(i)]);
        if (i % 20 === 0) await taker.take();
      }
    })();
    try {
      for (let i = 0; i < 5; i++) expect((await verify()).said).toEqual([]);
    } finally {
      end.abort();
      await writer;
    }
    await takeAll();
    const { said, checkpoints } = await verify();
    expect(said).toEqual([]);
    expect(checkpoints).toMatchObject({ uncovered: 0 });
  });

  it('has every event in a checkpoint, also one that is committed after later ones are covered', async () => {
    const { driver: other } = await database.open();
    await other.transaction(async (tx) => {
      await tx.script(`insert into events (stream_id, version, type, data, metadata)
        values ('account-late', 1, 'Opened', '{"owner":"ada"}', '{"unit":"x","version":1}')`);
      await accounts.save('prompt', 0, [open()]);
      await taker.take();
    });
    await takeAll();
    const { said, checkpoints } = await verify();
    expect(said).toEqual([`account-late: ${unproven}`, 'account-late: has events but no state']);
    expect(checkpoints?.uncovered).toBe(0);
  });

  it('is verified by the same checkpoints after a dump is restored on another server', async () => {
    // As adoptRestoredHistory leaves it, with a reader that has to begin again.
    await run(`update events set tx = '0'; update subscriptions set tx = '0', position = 0`);
    await accounts.save('1', 3, [payIn(1)]);
    await takeAll();
    const { said, checkpoints } = await verify();
    expect(said).toEqual([]);
    expect(checkpoints).toMatchObject({ checkpoints: 3, uncovered: 0 });
    expect(await taker.lag()).toBe(0);
  });

  it('reports nothing after a restore on another server for events that came late and are in no checkpoint yet', async () => {
    await accounts.save('gone', 0, [open()]);
    await run(
      `delete from events where stream_id = 'account-gone'; delete from streams where stream_id = 'account-gone'`,
    );
    await accounts.save('2', 3, [payIn(1)]);
    await takeAll();
    // Its transaction had taken the position earlier, and was still running as the checkpoint was taken.
    await accounts.save('1', 3, [payIn(1)]);
    await run(`create temporary table late on commit drop as
        select * from events where stream_id = 'account-1' and version = 4;
      update late set position = (select position - 1 from events where stream_id = 'account-2' and version = 4);
      delete from events where stream_id = 'account-1' and version = 4;
      insert into events overriding system value select * from late;
      update events set tx = '0';
      update subscriptions s set tx = '0',
        position = (select position - 1 from events where stream_id = 'account-1' and version = 4)`);
    expect((await verify()).said).toEqual([]);
    await takeAll();
    const { said, checkpoints } = await verify();
    expect({ said, checkpoints }).toMatchObject({ said: [], checkpoints: { checkpoints: 4, uncovered: 0 } });
  });

  it('is still covered when the position of checkpoints is moved past future events', async () => {
    await run(`update subscriptions set tx = '9223372036854775807' where name = 'checkpoints'`);
    expect((await verify()).said).toEqual([
      'the position of checkpoints in subscriptions: is ahead of the last one: a checkpoint was removed, or the position was changed',
    ]);
    await accounts.save('later', 0, [open(), payIn(1)]);
    expect(await taker.lag()).toBeGreaterThan(0);
    await takeAll();
    expect(await taker.lag()).toBe(0);
    const wasAhead = expect.stringMatching(/^checkpoint 3: was taken when the position in subscriptions was ahead of/);
    const { said, checkpoints } = await verify();
    expect({ said, checkpoints }).toMatchObject({ said: [wasAhead], checkpoints: { checkpoints: 3, uncovered: 0 } });
    await run(
      `delete from events where stream_id = 'account-later'; delete from streams where stream_id = 'account-later'`,
    );
    expect((await verify()).said).toEqual([
      wasAhead,
      expect.stringMatching(/^checkpoint 3, taken at .*: 2 of its 2 events are gone/),
    ]);
  });

  it('shows permanently that a checkpoint was removed with a stream, also after the next one is taken', async () => {
    await run(`delete from checkpoints where number = 2; delete from events where stream_id = 'account-3';
      delete from streams where stream_id = 'account-3'`);
    await accounts.save('1', 3, [payIn(1)]);
    await takeAll();
    const { said, checkpoints } = await verify();
    expect(said).toEqual([
      expect.stringMatching(/^checkpoint 2: was taken when the position .* a checkpoint was removed/),
    ]);
    expect(checkpoints).toMatchObject({ checkpoints: 2, uncovered: 0 });
  });

  it('is detected in streams that a run before an interruption has checked, when no checkpoint covered it then', async () => {
    const before = { after: 'account-2', streams: 2, events: 6, differing: [], restored: 0, findings: [] };
    const checkpoint = (await lastCheckpoint(driver)) ?? null;
    const resumed = () => verify(undefined, { ...before, checkpoint });
    await accounts.save('1', 3, [payIn(1)]);
    expect(await resumed()).toMatchObject({ said: [], streams: 3, events: 7 });
    await run(`insert into events (stream_id, version, type, data, metadata, recorded_at, proof)
      select stream_id, 4, type, data, metadata, recorded_at, proof from events where stream_id = 'account-2' and version = 3;
      update streams set version = 4, state = state || '{"balance": 5}' where stream_id = 'account-2'`);
    const said = [expect.stringMatching(/^account-2: version 4: its content, its time or the event before it/)];
    expect((await resumed()).said).toEqual(said);
    // Now the service has signed that it is there.
    await takeAll();
    expect((await resumed()).said).toEqual(said);
  });

  it('names events that no checkpoint covers, before others that one covers', async () => {
    await run(`insert into events (stream_id, version, type, data, metadata, tx)
      values ('account-9', 1, 'Opened', '{"owner":"eve"}', '{"unit":"x","version":1}', '1')`);
    expect((await verify()).said).toEqual([
      expect.stringMatching(/^events with the positions \d+: no checkpoint covers them, and checkpoint 1 covers later/),
      `account-9: ${unproven}`,
      'account-9: has events but no state',
    ]);
  });

  it('names events that no checkpoint covers an hour after they were stored', async () => {
    await accounts.save('1', 3, [payIn(1)]);
    expect((await verify()).said).toEqual([]);
    await run(`insert into events (stream_id, version, type, data, metadata, recorded_at)
      values ('account-9', 1, 'Opened', '{"owner":"ada"}', '{"unit":"x","version":1}', now() + interval '2 hours')`);
    expect((await verify()).said).toEqual([
      expect.stringMatching(
        /^events with the positions \d+: no checkpoint covers them an hour after they were stored$/,
      ),
      `account-9: ${unproven}`,
      'account-9: has events but no state',
    ]);
  });

  it('is checked to its end when checkpoints of any number were added', async () => {
    await run(`insert into checkpoints select 9000000000 + n, 1, 1, 'e30.x' from generate_series(1, 201) as n`);
    const { said } = await verify();
    expect(said[0]).toBe('checkpoint 3: is missing, like all up to checkpoint 9000000000');
    expect(said).toHaveLength(202);
    await expect(taker.take()).rejects.toThrow(expect.objectContaining({ name: 'CheckpointAlteredError' }));
    expect(await taker.lag()).toBeGreaterThan(0);
  });

  it('names rows without proof', async () => {
    await new EventStore(driver)
      .repository(account)
      .save('9', 0, [open()], { consume: [{ kind: 'handle', hash: hash('e'), bindsStream: true }] });
    expect((await verify()).said).toEqual([
      `account-9: ${unproven}`,
      expect.stringMatching(/^used value handle [0-9a-f]{16}, which finds account-9: was added by hand/),
    ]);
  });
});
