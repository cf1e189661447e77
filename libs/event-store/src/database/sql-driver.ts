import type { AnswerWatchdog } from './answer-watchdog';

/** `name` makes it a prepared statement: one name, one text, everywhere. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Milliseconds after which the caller no longer waits; the driver's default when absent. */
  readonly timeout?: number | undefined;
  /** Short and frequent: sent on the connections for this kind, behind others that are not answered yet. */
  readonly lane?: LaneName | undefined;
}

/** Statements of one kind do not wait for those of the other. */
export const laneNames = ['reads', 'appends'] as const;
export type LaneName = (typeof laneNames)[number];

/**
 * Rows come with the same JavaScript types from every driver: integer -> number, bigint and numeric -> cast to text in the SQL,
 * timestamptz -> Date, bytea -> Buffer, json and jsonb -> parsed. Values: pass JSON as text and cast it (`$1::text::jsonb`).
 */
export interface SqlExecutor {
  /** Rejects with `StoreUnavailableError` when the database is away, else with `SqlError`. */
  query<T>(statement: Statement): Promise<T[]>;
}

export interface SqlTransaction extends SqlExecutor {
  /** Several statements without values, separated by semicolons. */
  script(text: string): Promise<void>;
}

/** One connection kept for the caller: session locks taken here live until `close` or until the connection breaks. */
export interface SqlSession extends SqlExecutor {
  /** False once the connection is known to be gone, and its locks with it. */
  isAlive(): boolean;
  close(): Promise<void>;
}

/** Connections of a pool; `waiting` counts the callers that wait for one. */
export type ConnectionCounts = Readonly<Record<'idle' | 'busy' | 'waiting', number>>;

export interface SqlDriver extends SqlExecutor {
  readonly kind: 'postgres' | 'embedded';
  /** Commits when `work` returns, rolls back when it throws. */
  transaction<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T>;
  session(): Promise<SqlSession>;
  /** Connections now; absent where there is no pool. */
  connections?(): ConnectionCounts | undefined;
  /** Whether the database answers at all; absent where this is not watched, or where it is part of this process. */
  readonly silence?: AnswerWatchdog | undefined;
  close(): Promise<void>;
}

/** An error the database answered with; nothing of the statement was carried out. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  constructor(
    message: string,
    /** SQLSTATE */
    readonly code: string,
    readonly constraint: string | undefined,
    readonly detail: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Injection token of the `SqlDriver` of the store at hand: what is stored for the tenant at hand. */
export const STORE_DRIVER = Symbol('STORE_DRIVER');

/** Injection token of the `SqlDriver` of the first store, which has the tenants, the keys, and what is of the service itself. */
export const SQL_DRIVER = Symbol('SQL_DRIVER');
