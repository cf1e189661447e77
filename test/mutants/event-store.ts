import type { FileMutants } from './mutant';

const contract = 'test/event-store/contract.test.ts';
const rebuild = 'test/event-store/rebuild.test.ts';
const tampering = 'test/event-store/tampering.test.ts';

export const eventStoreMutants: readonly FileMutants[] = [
  {
    file: 'libs/event-store/src/database/migrate.ts',
    tests: ['test/event-store/migrations.test.ts'],
    mutants: [
      {
        noticed: 'whoever starts on a store of before 0.2.0 is told to restore a file',
        original: "beforePromise.includes(done[0]?.name ?? '')",
        replacement: "beforePromise.includes('')",
      },
    ],
  },
  {
    file: 'libs/event-store/src/streams/stream-cache.ts',
    tests: ['libs/event-store/src/streams/stream-cache.spec.ts'],
    mutants: [
      {
        noticed: 'a caller can change the state that others get',
        original: 'Object.freeze(value)',
        replacement: 'value',
      },
    ],
  },
  {
    file: 'libs/event-store/src/streams/held-marks.ts',
    tests: ['libs/event-store/src/streams/held-marks.spec.ts'],
    mutants: [
      {
        noticed: 'a mark is lost when the process stops',
        original: 'clearInterval(this.timer);\n    await this.writeInGroups([...this.held.keys()]);',
        replacement: 'clearInterval(this.timer);',
      },
      {
        noticed: 'one mark that cannot be written holds up all others',
        original: 'if (isAway) this.pausedUntil = next;',
        replacement: 'this.pausedUntil = next; if (isAway) return;',
      },
      {
        noticed: 'a mark is undone with the request that needed it',
        original: 'apart(() => Promise.resolve(this.write(value)))',
        replacement: 'Promise.resolve(this.write(value))',
      },
      {
        noticed: 'a mark that could not be written once is never written',
        original: 'one.writing = undefined;\n',
        replacement: '\n',
      },
      {
        noticed: 'marks of all kinds but one are lost when the process stops',
        original: 'this.kinds.map((kind) => kind.onModuleDestroy())',
        replacement: 'this.kinds.slice(0, 1).map((kind) => kind.onModuleDestroy())',
      },
    ],
  },
  {
    file: 'libs/event-store/src/append/group-commit.ts',
    tests: ['libs/event-store/src/append/group-commit.spec.ts'],
    mutants: [
      {
        noticed: 'after a failover wallets whose redemption was stored get invalid_grant',
        original: 'this.writeAlone(unit, unknown)',
        replacement: 'this.writeAlone(unit)',
      },
      {
        noticed: 'what was stored before the connection was lost is written again without a check',
        original: 'for (;;) {\n        if (unknown && (await this.wasCommitted(unit.write, deadline))) break;',
        replacement: 'for (;;) {',
      },
      {
        noticed: 'a write that went through late is reported as a conflict with itself',
        original: 'looked up.\n            if (unknown && (await this.wasCommitted(unit.write, deadline))) break;',
        replacement: 'looked up.',
      },
      {
        noticed: 'a nonce is reported as used by another, although this very request used it',
        original: 'if (write.consumed.length === 0) return false;',
        replacement: 'return false;',
      },
      {
        noticed: 'the write of another client is mistaken for our own',
        original: 'rows.some((row) => row.unit === write.unit)',
        replacement: 'rows.length > 0',
      },
      {
        noticed: 'a lost connection refuses many requests at once that may have been carried out',
        original: 'if (error instanceof StoreUnavailableError && !error.outcomeUnknown) {',
        replacement: 'if (error instanceof StoreUnavailableError) {',
      },
      {
        noticed: 'a deadlock is an internal error instead of another attempt',
        original: "if (error.code === '40001' || error.code === '40P01' ||",
        replacement: "if (error.code === '40001' ||",
      },
      {
        noticed: 'a used code is tried four times before it is refused',
        original: "return new AlreadyConsumedError(first ?? 'unknown', { cause: error });",
        replacement: 'return new ConflictError(first, { cause: error });',
        tests: [contract],
      },
    ],
  },
  {
    file: 'libs/event-store/src/append/commit-queue.ts',
    tests: ['libs/event-store/src/append/group-commit.spec.ts'],
    mutants: [
      {
        noticed: 'two wallets with one code delay all other writers',
        original: 'unit.alone ||= clashes(unit);',
      },
      {
        noticed: 'a client is told that nothing was stored although it was',
        original: 'if (unit.isSent) {',
        replacement: 'if (unit.bytes < 0) {',
      },
      {
        noticed: 'requests of clients that have gone are stored when the database is back',
        original: 'if (!this.waiting.remove(unit)) return;',
      },
    ],
  },
  {
    file: 'libs/event-store/src/append/append.ts',
    tests: ['test/event-store/replicas.test.ts'],
    mutants: [
      {
        noticed: 'replicas lock each other out',
        original: 'writes.flatMap((write) => write.events).sort(byStream)',
        replacement: 'writes.flatMap((write) => write.events)',
      },
      {
        noticed: 'a state that was put right is overwritten by what a process knew before',
        original: 'and s.xmin = r.tx::xid ',
        replacement: '',
        tests: ['test/event-store/kept-streams.test.ts'],
      },
      {
        noticed: 'a list says that nothing has changed since the first event',
        original: 'updated_at = excluded.updated_at,',
        replacement: 'updated_at = s.updated_at,',
        tests: [rebuild],
      },
      {
        noticed: 'an event in the middle of a stream can be taken out',
        original: "if (bytes) heads.set(event.streamId, { at, proof: bytes.toString('hex'), bytes });",
        replacement: "if (bytes) heads.set(event.streamId, { at, proof: bytes.toString('hex'), bytes: undefined });",
        tests: [tampering],
      },
      {
        noticed: 'an event has the time of a process whose clock is wrong',
        original: '\n    and abs(extract(epoch from clock_timestamp() - $${n}::timestamptz)) < 15',
        replacement: '\n    and $${n}::timestamptz is not null',
        tests: ['test/event-store/outages.test.ts'],
      },
    ],
  },
  {
    file: 'libs/event-store/src/append/unit-of-work.ts',
    tests: [contract],
    mutants: [
      {
        noticed: 'two portals that work on one offer get errors',
        original: 'if (attempt >= attempts) throw reason;',
        replacement: 'throw reason;',
      },
      {
        noticed: 'work is given up after three attempts',
        original: 'const usualAttempts = 4;',
        replacement: 'const usualAttempts = 3;',
      },
      {
        noticed: 'half of what belongs together is stored',
        original: 'if (unit?.over === true) throw',
        replacement: 'if (unit?.over === null) throw',
      },
    ],
  },
  {
    file: 'libs/event-store/src/stream-repository.ts',
    tests: [contract],
    mutants: [
      {
        noticed: 'events are stored that leave a gap in their stream',
        original: 'if (stream.version !== expectedVersion) throw new ConflictError(streamId);',
      },
      {
        noticed: 'an erased person is read by the work that erases them',
        original: 'unit.erased.has(stream.streamId) ? undefined : ',
      },
      {
        noticed: 'the code of an offer opens an authorization request',
        original: 'if (found === undefined || categoryOf(found.streamId) !== category) return undefined;',
        replacement: 'if (found === undefined) return undefined;',
      },
    ],
  },
  {
    file: 'libs/event-store/src/streams/stream-reader.ts',
    tests: [contract],
    mutants: [
      {
        noticed: 'the URL of an offer still works long after its end',
        original: '        and (expires_at is null or expires_at > now())\n    ) limit 1',
        replacement: '    ) limit 1',
      },
    ],
  },
  {
    file: 'libs/event-store/src/erasure/erasure-watch.ts',
    tests: ['test/event-store/kept-streams.test.ts'],
    mutants: [
      {
        noticed: 'a replica keeps the key of a person whom another one has erased',
        original: 'for (const { stream_id: streamId } of erased) this.kept.forget(streamId);',
      },
      {
        noticed: 'a replica that cannot know who was erased keeps all keys',
        original: '    } catch (error) {\n      this.kept.forgetAll();',
        replacement: '    } catch (error) {',
      },
    ],
  },
  {
    file: 'libs/event-store/src/erasure/due-erasures.ts',
    tests: ['test/operation/retention.test.ts'],
    mutants: [
      {
        noticed: 'personal data is erased before its retention has ended',
        original: '<= ${now} and (',
        replacement: `<= '9' and (`,
      },
      {
        noticed: 'all replicas erase at the same time',
        original: '!(await takeLock(session, lock))',
        replacement: '!(await takeLock(session, lock)) && false',
      },
    ],
  },
  {
    file: 'libs/event-store/src/append/used-values.ts',
    tests: [contract],
    mutants: [
      {
        noticed: 'an Idempotency-Key replays the answer of last month',
        original: '      and (expires_at is null or expires_at > now())`',
        replacement: '`',
      },
      {
        noticed: 'a value is good again as soon as a clock is set back',
        original: "now() - interval '2 hours'",
        replacement: 'now()',
      },
    ],
  },
  {
    file: 'libs/event-store/src/passes/stream-ranges.ts',
    tests: [rebuild],
    mutants: [
      {
        noticed: 'verify-store leaves out the streams behind the last range',
        original: 'yield { after, upto: last?.stream_id };',
        replacement: 'if (last) yield { after, upto: last.stream_id };',
      },
      {
        noticed: 'a resumed run forgets what the first one has found',
        original: 'differing: [...sum.differing, ...added.differing],',
        replacement: 'differing: added.differing,',
      },
    ],
  },
  {
    file: 'libs/event-store/src/append/group-commit.ts',
    tests: [contract],
    mutants: [
      {
        noticed: 'on partitioned tables a conflict is an internal error',
        original: ".replace(/_p\\d+_pkey$/, '_pkey')",
        replacement: '',
      },
    ],
  },
  {
    file: 'libs/event-store/src/streams/fold-version.ts',
    tests: ['test/event-store/fold-versions.test.ts'],
    mutants: [
      {
        noticed: 'after an upgrade states are read as the previous release made them',
        original: 'version > 0 && foldVersion !== wanted',
        replacement: 'version < 0',
      },
      {
        noticed: 'what an old replica wrote is taken for a state of the new release',
        original: 'case when ${s}.fold_upto = ${s}.version then ${s}.fold_version else 1 end',
        replacement: 'coalesce(${s}.fold_version, 1)',
      },
    ],
  },
  {
    file: 'libs/event-store/src/rebuild/repair-state.ts',
    tests: [rebuild],
    mutants: [
      {
        noticed: 'rebuild next to a running replica overwrites a newer state',
        original: '      where s.version = $10::integer and s.updated_at = $11::text::timestamptz\n',
        replacement: '      where $10::integer is not null or $11::text is null or true\n',
      },
      {
        noticed: 'rebuild next to a running replica removes a state that has just been created',
        original: 'and version = $2::integer and updated_at = $3::text::timestamptz',
        replacement:
          'and not exists (select from events where stream_id = $1) and $2::integer > 0 and $3::text is not null',
      },
      {
        noticed: 'rebuild leaves a wrong state because of a concurrent write',
        original: 'if (stored.length > 0) return;',
        replacement: 'return;',
      },
    ],
  },
  {
    file: 'libs/event-store/src/streams/stored-event.ts',
    tests: [rebuild],
    mutants: [
      {
        noticed: 'an upgrade reads events of the earlier release wrongly',
        original: 'const upcasted = version < known ?',
        replacement: 'const upcasted = version < 0 ?',
      },
    ],
  },
  {
    file: 'libs/event-store/src/subscriptions/event-log.ts',
    tests: ['test/event-store/subscriptions.test.ts'],
    mutants: [
      {
        noticed: 'an event that was committed late is never handled',
        original: ' and tx < pg_snapshot_xmin(pg_current_snapshot())',
      },
    ],
  },
  {
    file: 'libs/event-store/src/subscriptions/subscription.ts',
    tests: ['test/event-store/subscriptions.test.ts'],
    mutants: [
      {
        noticed: 'two replicas handle the same event',
        original: 'if (!(await takeLock(session, this.lock))) {',
        replacement: 'if (session === undefined) {',
      },
    ],
  },
  {
    file: 'libs/event-store/src/subscriptions/subscription-position.ts',
    tests: ['test/event-store/subscriptions.test.ts'],
    mutants: [
      {
        noticed: 'a restart handles every event from the first one on',
        original: 'return row ?? firstPosition;',
        replacement: 'return firstPosition;',
      },
    ],
  },
  {
    file: 'libs/event-store/src/lists/cursor.ts',
    tests: ['test/event-store/lists.test.ts'],
    mutants: [
      {
        noticed: 'the cursor of one list leads into another',
        original: 'position.streamId.startsWith(`${category}-`) &&',
      },
      {
        noticed: 'a made-up cursor is an internal error',
        original: '    exists(position.sortedBy) &&\n',
      },
      {
        noticed: 'the cursor of a list in one order leads into a list in another',
        original: 'times[order].test(position.sortedBy) &&',
      },
    ],
  },
  {
    file: 'libs/event-store/src/lists/state-list-statement.ts',
    tests: ['test/event-store/lists.test.ts'],
    mutants: [
      {
        noticed: 'a request that has expired is listed as pending',
        original: "${due === 'future' ? ` || ${now}` : ''}",
      },
    ],
  },
];
