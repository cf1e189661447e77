import type { AnswerWatchdog } from './answer-watchdog';
import type { ConnectionCounts, SqlDriver, SqlSession, SqlTransaction, Statement } from './sql-driver';

/** Asks the store that the present work is about. */
export class StoreAtHand implements SqlDriver {
  readonly kind;

  constructor(
    first: SqlDriver,
    private readonly present: () => SqlDriver,
  ) {
    this.kind = first.kind;
  }

  async query<T>(statement: Statement): Promise<T[]> {
    return this.present().query<T>(statement);
  }

  async transaction<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    return this.present().transaction(work);
  }

  async session(): Promise<SqlSession> {
    return this.present().session();
  }

  connections(): ConnectionCounts | undefined {
    return this.present().connections?.();
  }

  get silence(): AnswerWatchdog | undefined {
    return this.present().silence;
  }

  /** Whoever opened them closes them. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
