import type { AuditRow } from '../audit-table';

export interface EventRow {
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  /** Canonical JSON, written once and never parsed again on its way to the database. */
  readonly data: string;
  readonly metadata: string;
}

export interface StreamRow {
  readonly streamId: string;
  readonly category: string;
  readonly parent: string | null;
  readonly version: number;
  readonly state: string;
  /** `Aggregate.foldVersion` of the state. */
  readonly foldVersion: number;
  /** The proof of the last event that was stored before, if that has one. */
  readonly head: Buffer | undefined;
  /** When that event was recorded; `undefined` for a new stream. */
  readonly updatedAt: Date | undefined;
}

export interface ConsumedRow {
  readonly kind: string;
  /** hex */
  readonly hash: string;
  readonly streamId: string | null;
  readonly expiresAt: string | null;
  readonly note: string | null;
}

interface DataKeyRow {
  readonly streamId: string;
  /** hex */
  readonly sealed: string;
}

/** A stream as it was not read but presumed; what is written is right only if it is so. */
export interface PresumedRow {
  readonly streamId: string;
  readonly version: number;
  /** hex; the proof of the last event, if that has one */
  readonly head: string | null;
  /** The transaction that wrote its row. */
  readonly tx: string;
  /** It has a data key, which must not have been destroyed. */
  readonly sealed: boolean;
}

/** Everything one unit of work writes. */
export interface PendingWrite {
  readonly unit: string;
  readonly events: readonly EventRow[];
  readonly streams: readonly StreamRow[];
  readonly consumed: readonly ConsumedRow[];
  readonly dataKeys: readonly DataKeyRow[];
  /** Streams whose data key is destroyed. */
  readonly erased: readonly string[];
  readonly audit: readonly AuditRow[];
  /** The mark of the tenant whose it all is. */
  readonly tenant?: string;
  /** Absent where everything was read. A stream that was presumed to be new is not in it: its first event shows that. */
  readonly presumed?: readonly PresumedRow[] | undefined;
}
