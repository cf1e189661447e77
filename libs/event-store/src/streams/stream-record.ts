/** A stream as the database has it. */
export interface StreamRecord {
  readonly version: number;
  readonly state: unknown;
  readonly dataKey: Buffer | undefined;
  readonly createdAt: Date | undefined;
  readonly updatedAt: Date | undefined;
}

/** A stream with what shows that it is still the same. */
export interface StoredStream {
  readonly record: StreamRecord;
  /** The proof of its last event, if that has one. */
  readonly head: Buffer | undefined;
  /** The transaction that wrote its row, as the `xmin` of that; `undefined` when there is no stream. */
  readonly tx: string | undefined;
}

/** What the database says about a stream, and when it said so. */
export interface StreamRead extends StoredStream {
  readonly streamId: string;
  /** The state as JSON; `undefined` when there is no stream. */
  readonly text: string | undefined;
  /** The version of the fold that made the state. */
  readonly foldVersion: number;
  readonly now: Date;
  /** When it was asked, on the clock of `performance.now()`. */
  readonly askedAt: number;
  /** Milliseconds from the question to the answer. */
  readonly took: number;
}

export const noRecord: StreamRecord = {
  version: 0,
  state: undefined,
  dataKey: undefined,
  createdAt: undefined,
  updatedAt: undefined,
};

export const absent: StoredStream = { record: noRecord, head: undefined, tx: undefined };
