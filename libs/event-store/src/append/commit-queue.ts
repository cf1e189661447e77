import { TenantLanes } from '@app/primitives/context';
import { type Deadline, onEnd, remaining } from '@app/primitives/time';
import { type DropReason, dropReasons, OutcomeUnknownError, WorkDroppedError } from '../errors';
import type { Stored } from './append';
import type { PendingWrite } from './pending-write';

const groupSize = 64;
/** Units that may wait; at a thousand units a second it is what the database stores in two seconds. */
const mostUnits = 2_000;
/** Bytes of all that waits together. */
const mostBytes = 32 * 1024 * 1024;
/** Of both, what a tenant may add although others have filled the queue, which then holds twice as much at most. */
const share = 1 / 4;

/** A unit of work that waits to be written, or is being written. */
export interface Unit {
  readonly write: PendingWrite;
  readonly deadline: Deadline | undefined;
  readonly bytes: number;
  /** What it writes exclusively: two units with a key in common never share a statement. */
  readonly keys: readonly string[];
  /** With what its statement has stored, of others too; `undefined` when the answer to that was lost. */
  readonly resolve: (stored: Stored | undefined) => void;
  readonly reject: (error: unknown) => void;
  alone: boolean;
  isSent: boolean;
}

/** The units that wait to be written. What it refuses or drops has not been sent. */
export class CommitQueue {
  bytes = 0;
  private readonly waiting = new TenantLanes<Unit>();
  private readonly counts = Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<DropReason, number>;

  /** How many units were refused or given up since the process began. */
  get dropped(): Readonly<Record<DropReason, number>> {
    return this.counts;
  }

  get units(): number {
    return this.waiting.size;
  }

  add(write: PendingWrite, deadline: Deadline | undefined): Promise<Stored | undefined> {
    const bytes = sizeOf(write);
    if (remaining(deadline) === 0) return Promise.reject(this.refuse(reasonOf(deadline)));
    if (this.isFullFor(bytes)) return Promise.reject(this.refuse('queue_full'));
    return new Promise<Stored | undefined>((resolve, reject) => {
      const keys = [
        ...write.streams.map((row) => row.streamId),
        ...write.consumed.map((row) => `${row.kind} ${row.hash}`),
        ...write.erased,
      ];
      const unit: Unit = {
        ...{ write, deadline, bytes, keys, alone: false, isSent: false },
        resolve: (stored) => {
          forget();
          resolve(stored);
        },
        reject: (error) => {
          forget();
          const failure = error as Error;
          reject(failure);
        },
      };
      const forget = onEnd(deadline, () => {
        this.giveUp(unit);
      });
      this.waiting.push(unit);
      this.bytes += bytes;
    });
  }

  /** The units of the next statement. @param inFlight keys of statements that are under way */
  nextGroup(inFlight: ReadonlySet<string>): Unit[] {
    const [first] = this.waiting.take(1);
    if (first === undefined) return [];
    const group = [first];
    const taken = new Set(first.keys);
    const clashes = (unit: Unit): boolean => unit.keys.some((key) => taken.has(key) || inFlight.has(key));
    const join = (unit: Unit): boolean => {
      // It would conflict with the other and fail all units in the same statement.
      unit.alone ||= clashes(unit);
      if (!unit.alone) for (const key of unit.keys) taken.add(key);
      return !unit.alone;
    };
    if (!first.alone && !first.keys.some((key) => inFlight.has(key))) {
      group.push(...this.waiting.take(groupSize - 1, join));
    }
    for (const unit of group) this.bytes -= unit.bytes;
    return group;
  }

  /** Gives up all that waits. */
  dropAll(reason: DropReason): void {
    const units = this.waiting.clear();
    this.bytes = 0;
    for (const unit of units) unit.reject(this.refuse(reason));
  }

  /** Counts a unit that is rejected; the error is for its caller. */
  refuse(reason: DropReason): WorkDroppedError {
    this.counts[reason]++;
    return new WorkDroppedError(reason);
  }

  /** As `refuse`, of a unit whose caller no longer waits. */
  late(unit: Unit): WorkDroppedError {
    return this.refuse(reasonOf(unit.deadline));
  }

  private isFullFor(bytes: number): boolean {
    const isOver = (part: number, units: number, waiting: number): boolean =>
      units >= mostUnits * part || (units > 0 && waiting + bytes > mostBytes * part);
    if (!isOver(1, this.units, this.bytes)) return false;
    const own = this.waiting.own();
    const ownBytes = own.reduce((sum, unit) => sum + unit.bytes, 0);
    return isOver(2, this.units, this.bytes) || isOver(share, own.length, ownBytes);
  }

  private giveUp(unit: Unit): void {
    const reason = reasonOf(unit.deadline);
    if (unit.isSent) {
      // There is no caller to report to when the client has gone.
      if (reason === 'deadline') unit.reject(new OutcomeUnknownError());
      return;
    }
    if (!this.waiting.remove(unit)) return;
    this.bytes -= unit.bytes;
    unit.reject(this.refuse(reason));
  }
}

function reasonOf(deadline: Deadline | undefined): DropReason {
  return deadline?.hasPassed === true ? 'deadline' : 'client_gone';
}

/** What the texts of a unit occupy, in characters; what holds them together adds little. */
function sizeOf(write: PendingWrite): number {
  let size = 0;
  for (const { data, metadata } of write.events) size += data.length + metadata.length;
  for (const { state } of write.streams) size += state.length;
  for (const { note } of write.consumed) size += note?.length ?? 0;
  return size;
}
