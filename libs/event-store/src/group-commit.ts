import { setTimeout as delay } from 'node:timers/promises';
import { appendStatement, committedUnits, type Write } from './append';
import { AlreadyConsumedError, ConflictError, StoreUnavailableError } from './errors';
import { SqlError, type SqlDriver } from './sql-driver';

/** Two keep the server busy while the next group gathers; more would only make the groups smaller. */
const writers = 2;
const groupSize = 64;
/** How long a unit whose outcome is unknown waits for the database to come back. */
const patience = 4_000;

interface Waiting {
  readonly write: Write;
  /** What it writes exclusively: two units with a key in common never share a statement. */
  readonly keys: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  alone: boolean;
}

/**
 * Commits units of work. A unit that finds a free writer goes at once; units that arrive while both are busy go together in the next
 * statement. When a shared statement fails, each of its units is tried alone, so that one conflict harms nobody else.
 */
export class GroupCommit {
  private readonly queue: Waiting[] = [];
  private readonly inFlight = new Set<string>();
  private busy = 0;
  private idle: (() => void)[] = [];

  constructor(private readonly driver: SqlDriver) {}

  commit(write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      const keys = [
        ...write.streams.map((row) => row.streamId),
        ...write.consumed.map((row) => `${row.kind} ${row.hash}`),
        ...write.erased,
      ];
      this.queue.push({ write, keys, resolve, reject, alone: false });
      this.pump();
    });
  }

  /** Resolves when nothing waits and nothing is being written. */
  settled(): Promise<void> {
    if (this.busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private pump(): void {
    while (this.busy < writers && this.queue.length > 0) {
      const group = this.nextGroup();
      const keys = group.flatMap((unit) => unit.keys);
      for (const key of keys) this.inFlight.add(key);
      this.busy++;
      void this.writeGroup(group).finally(() => {
        for (const key of keys) this.inFlight.delete(key);
        this.busy--;
        this.pump();
      });
    }
    if (this.busy === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  private nextGroup(): Waiting[] {
    const first = this.queue.shift();
    if (first === undefined) return [];
    const group = [first];
    const taken = new Set(first.keys);
    const clashes = (unit: Waiting): boolean => unit.keys.some((key) => taken.has(key) || this.inFlight.has(key));
    if (first.alone || first.keys.some((key) => this.inFlight.has(key))) return group;
    for (let i = 0; i < this.queue.length && group.length < groupSize;) {
      const unit = this.queue[i];
      if (unit === undefined) break;
      // It would lose against the other and fail everybody who travels with it.
      unit.alone ||= clashes(unit);
      if (unit.alone) {
        i++;
        continue;
      }
      this.queue.splice(i, 1);
      group.push(unit);
      for (const key of unit.keys) taken.add(key);
    }
    return group;
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (group.length === 1 && first !== undefined) return this.writeAlone(first);
    let unknown = false;
    try {
      await this.driver.query(appendStatement(group.map((unit) => unit.write)));
      for (const unit of group) unit.resolve();
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

  /** `unknown`: an earlier attempt may have been carried out, or may still be. */
  private async writeAlone(unit: Waiting, unknown = false): Promise<void> {
    const deadline = Date.now() + patience;
    try {
      for (;;) {
        if (unknown && (await this.wasCommitted(unit.write, deadline))) break;
        try {
          await this.driver.query(appendStatement([unit.write]));
          break;
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) {
            // The earlier attempt may have gone through after it was looked up.
            if (unknown && (await this.wasCommitted(unit.write, deadline))) break;
            throw meaning(error);
          }
          if (!error.outcomeUnknown && !unknown) throw error;
          if (Date.now() > deadline) throw error;
          unknown = true;
        }
      }
      unit.resolve();
    } catch (error) {
      unit.reject(error);
    }
  }

  /** Looks the unit up in the database, waiting for it to come back. */
  private async wasCommitted(write: Write, deadline: number): Promise<boolean> {
    if (write.events.length === 0) {
      // It left no mark of its own. Erasing a key twice does no harm; a used value stays used.
      if (write.consumed.length === 0) return false;
      throw new StoreUnavailableError('The connection was lost before the outcome was known.', true);
    }
    for (let pause = 25; ; pause = Math.min(pause * 2, 400)) {
      try {
        const rows = await this.driver.query<{ unit: string }>(committedUnits([write]));
        return rows.some((row) => row.unit === write.unit);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (Date.now() + pause > deadline) {
          throw new StoreUnavailableError('The database went away before the outcome was known.', true, {
            cause: error,
          });
        }
        await delay(pause);
      }
    }
  }
}

/** What a refused append means for the unit; the constraint tells. */
function meaning(error: unknown): unknown {
  if (!(error instanceof SqlError)) return error;
  // 40001, 40P01: the server chose this statement as the one to give way.
  if (error.code === '40001' || error.code === '40P01') return new ConflictError(undefined, { cause: error });
  if (error.code !== '23505') return error;
  // "Key (kind, value_hash)=(nonce, \x..) already exists."
  const [, first] = /\)=\(([^,)]*)/.exec(error.detail ?? '') ?? [];
  switch (error.constraint) {
    case 'events_pkey':
      return new ConflictError(first, { cause: error });
    case 'consumed_pkey':
      return new AlreadyConsumedError(first ?? 'unknown', { cause: error });
    case 'data_keys_pkey':
      return new Error(`A data key of ${first ?? 'this stream'} exists already; a stream gets one, once.`, {
        cause: error,
      });
    default:
      return error;
  }
}
