import { type CurrentDeadline, noDeadline, remaining } from '@app/primitives/time';
import { setTimeout as delay } from 'node:timers/promises';
import { appendStatement, committedUnits, movingAway, notAsPresumed, type Stored, tooLate } from './append';
import { CommitQueue, type Unit } from './commit-queue';
import { DatabaseClock } from '../database/database-clock';
import {
  AlreadyConsumedError,
  AuditUnavailableError,
  ConflictError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '../errors';
import type { Proofs } from '../proofs/proofs';
import { SqlError, type SqlDriver } from '../database/sql-driver';
import type { PendingWrite } from './pending-write';

/** Two keep the server busy while the next group gathers; more would only make the groups smaller. */
const writers = 2;
/** How long a unit whose outcome is unknown waits for the database to come back. */
const patience = 4_000;
/** Milliseconds for a statement of units without a deadline. */
const longest = 20_000;
/** Milliseconds after which a statement that is not answered holds all others up: it waits for a lock, or the server hangs. */
const stuckAfter = 2_000;

/**
 * Commits units of work. A unit that finds a free writer goes at once; units that arrive while both are busy go together in the next
 * statement. When a shared statement fails, each of its units is tried alone, so that one conflict affects no other.
 *
 * A unit is given up before it is sent when its client has gone, its deadline has passed, too much waits, or nothing is
 * being written: then one unit at a time is let through to try. A unit that was sent is never given up; at its
 * deadline its outcome is unknown.
 */
export class GroupCommit {
  private readonly queue = new CommitQueue();
  private readonly inFlight = new Set<string>();
  private busy = 0;
  private stuck = 0;
  /** The last statement was stuck and has failed. */
  private failing = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly driver: SqlDriver,
    private readonly deadline: CurrentDeadline = noDeadline,
    private readonly clock = new DatabaseClock(),
    private readonly proofs?: Proofs,
    /** Whether tenants may move to another store. */
    private readonly mayMove = false,
  ) {
    driver.silence?.onNoticed(() => {
      this.queue.dropAll('database_silent');
    });
  }

  /** @returns what its statement has stored, of others too; `undefined` when the answer to that was lost */
  commit(write: PendingWrite): Promise<Stored | undefined> {
    if (this.driver.silence?.duration !== undefined || this.isHeldUp()) {
      return Promise.reject(this.queue.refuse('database_silent'));
    }
    const committed = this.queue.add(write, this.deadline());
    this.pump();
    return committed;
  }

  backlog(): Pick<CommitQueue, 'units' | 'bytes' | 'dropped'> {
    const { units, bytes, dropped } = this.queue;
    return { units, bytes, dropped };
  }

  /** Resolves when nothing waits and nothing is being written. */
  settled(): Promise<void> {
    if (this.busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private isHeldUp(): boolean {
    return this.stuck === writers || (this.failing && this.busy > 0);
  }

  private pump(): void {
    while (this.busy < writers && this.queue.units > 0) {
      const group = this.queue.nextGroup(this.inFlight);
      const keys = group.flatMap((unit) => unit.keys);
      for (const key of keys) this.inFlight.add(key);
      this.busy++;
      const watched = this.watchStatement();
      const [first] = group;
      const written = group.length === 1 && first !== undefined ? this.writeAlone(first) : this.writeGroup(group);
      void written.then(() => {
        watched();
        for (const key of keys) this.inFlight.delete(key);
        this.busy--;
        this.pump();
      });
    }
    if (this.busy === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Counts a writer as stuck until the function that is returned is called. */
  private watchStatement(): () => void {
    let isStuck = false;
    const late = setTimeout(() => {
      isStuck = true;
      this.stuck++;
      if (this.isHeldUp()) this.queue.dropAll('database_silent');
    }, stuckAfter).unref();
    return () => {
      clearTimeout(late);
      if (isStuck) this.stuck--;
    };
  }

  /** Its units hear how it went; it never rejects. */
  private async writeGroup(group: readonly Unit[]): Promise<void> {
    let unknown = false;
    try {
      const stored = await this.send(group);
      for (const unit of group) unit.resolve(stored);
      return;
    } catch (error) {
      if (error instanceof StoreUnavailableError && !error.outcomeUnknown) {
        for (const unit of group) unit.reject(error);
        return;
      }
      unknown = error instanceof StoreUnavailableError;
    }
    await Promise.all(group.map((unit) => this.writeAlone(unit, unknown)));
  }

  /** As `writeGroup`. `unknown`: an earlier attempt may have been carried out, or may still be. */
  private async writeAlone(unit: Unit, unknown = false): Promise<void> {
    const deadline = Date.now() + Math.min(patience, remaining(unit.deadline));
    let stored: Stored | undefined;
    try {
      for (;;) {
        if (unknown && (await this.wasCommitted(unit.write, deadline))) break;
        // A caller who got `OutcomeUnknownError` must not be served later.
        if (remaining(unit.deadline) === 0) throw unknown ? new OutcomeUnknownError() : this.queue.late(unit);
        try {
          stored = await this.send([unit]);
          break;
        } catch (error) {
          if (error instanceof SqlError && error.code === tooLate) {
            // Not by our own clock: the database's has been set, or has hung for a while.
            await this.readClock();
            if (!unit.write.presumed) continue;
            // It was decided by that clock, too. The earlier attempt may have gone through meanwhile.
            if (unknown && (await this.wasCommitted(unit.write, deadline))) break;
            throw new ConflictError(undefined, { cause: error });
          }
          if (!(error instanceof StoreUnavailableError)) {
            // The earlier attempt may have gone through after it was looked up.
            if (unknown && (await this.wasCommitted(unit.write, deadline))) break;
            throw meaning(error);
          }
          if (!error.outcomeUnknown && !unknown) throw error;
          if (Date.now() > deadline) throw new OutcomeUnknownError({ cause: error });
          unknown = true;
        }
      }
      unit.resolve(stored);
    } catch (error) {
      const isUnknown = error instanceof StoreUnavailableError && (unknown || error.outcomeUnknown);
      unit.reject(isUnknown ? new OutcomeUnknownError({ cause: error }) : error);
    }
  }

  private send(group: readonly Unit[]): Promise<Stored | undefined> {
    const left = group.map((unit) => remaining(unit.deadline));
    const soonest = Math.min(...left);
    const until = soonest === Infinity ? undefined : new Date(this.clock.now().getTime() + soonest);
    const timeout = Math.max(1, Math.min(longest, Math.max(...left)));
    for (const unit of group) unit.isSent = true;
    const begin = performance.now();
    const { heads, ...statement } = appendStatement(
      group.map((unit) => unit.write),
      { now: this.clock.stamp(), until, proofs: this.proofs, mayMove: this.mayMove },
    );
    return this.driver.query<{ tx: string }>({ ...statement, timeout, lane: 'appends' }).then(
      ([row]) => {
        this.failing = false;
        // A row of the audit alone leaves no stream.
        return row && { heads, tx: row.tx };
      },
      (error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) this.failing = false;
        else if (performance.now() - begin > stuckAfter) this.failing = true;
        throw error;
      },
    );
  }

  private async readClock(): Promise<void> {
    const begin = performance.now();
    const [row] = await this.driver.query<{ now: Date }>({
      name: 'clock',
      text: 'select clock_timestamp() as now',
      values: [],
      timeout: patience,
    });
    if (row) this.clock.correct(row.now, performance.now() - begin);
  }

  /** Looks the unit up in the database, waiting for it to come back. */
  private async wasCommitted(write: PendingWrite, deadline: number): Promise<boolean> {
    if (write.events.length === 0) {
      // It left no mark. Erasing a key or recording a row twice does no harm; a used value stays used.
      if (write.consumed.length === 0) return false;
      throw new OutcomeUnknownError();
    }
    for (let pause = 25; ; pause = Math.min(pause * 2, 400)) {
      try {
        const timeout = Math.max(1, deadline - Date.now());
        const rows = await this.driver.query<{ unit: string }>({ ...committedUnits([write]), timeout });
        return rows.some((row) => row.unit === write.unit);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (Date.now() + pause > deadline) {
          throw new OutcomeUnknownError({ cause: error });
        }
        await delay(pause);
      }
    }
  }
}

/** What a refused append means for the unit; the constraint shows it. */
function meaning(error: unknown): unknown {
  if (!(error instanceof SqlError)) return error;
  if (error.code === movingAway)
    return new StoreUnavailableError('The tenant is being moved to another store.', false, {
      cause: error,
      answered: true,
    });
  // 40001, 40P01: the server chose this statement as the one to give way.
  if (error.code === '40001' || error.code === '40P01' || error.code === notAsPresumed)
    return new ConflictError(undefined, { cause: error });
  // 42501, 42P01: the role lacks the right to insert there, or the table is gone.
  if (/^42(501|P01)$/.test(error.code) && /\baudit\b/.test(error.message))
    return new AuditUnavailableError({ cause: error });
  if (error.code !== '23505') return error;
  // "Key (kind, value_hash)=(nonce, \x..) already exists."
  const [, first] = /\)=\(([^,)]*)/.exec(error.detail ?? '') ?? [];
  // Each partition has a constraint of its own, such as events_p2_pkey.
  switch (error.constraint?.replace(/_p\d+_pkey$/, '_pkey')) {
    case 'events_pkey':
      return new ConflictError(first, { cause: error });
    case 'consumed_pkey':
      return new AlreadyConsumedError(first ?? 'unknown', { cause: error });
    case 'data_keys_pkey':
      return new Error(`A data key of ${first ?? 'this stream'} exists already; a stream gets only one.`, {
        cause: error,
      });
    default:
      return error;
  }
}
