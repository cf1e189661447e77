import { type CurrentDeadline, remaining } from '@app/primitives/time';
import { StoreUnavailableError, WorkDroppedError } from '../errors';
import { AnswerWatchdog } from './answer-watchdog';
import type { SqlDriver, SqlSession, SqlTransaction, Statement } from './sql-driver';

/** Milliseconds for the question whether the database is there. */
const patience = 1_000;

/** Bounds each statement by the deadline of the work it belongs to, and refuses at once while the database is silent. */
export class WatchedDriver implements SqlDriver {
  readonly kind;
  readonly silence: AnswerWatchdog;

  constructor(
    private readonly driver: SqlDriver,
    private readonly deadline: CurrentDeadline,
  ) {
    this.kind = driver.kind;
    this.silence = new AnswerWatchdog(() => askOnce(driver));
  }

  query<T>(statement: Statement): Promise<T[]> {
    let sent: Promise<T[]>;
    try {
      this.silence.refuse();
      sent = this.driver.query<T>(this.bounded(statement));
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const id = this.silence.began();
    return sent.then(
      (rows) => {
        this.silence.ended(id, true);
        return rows;
      },
      (error: unknown) => {
        this.silence.ended(id, !(error instanceof StoreUnavailableError) || error.answered);
        throw error;
      },
    );
  }

  async transaction<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    this.silence.refuse();
    return this.driver.transaction(work);
  }

  session(): Promise<SqlSession> {
    return this.driver.session();
  }

  connections(): ReturnType<NonNullable<SqlDriver['connections']>> | undefined {
    return this.driver.connections?.();
  }

  close(): Promise<void> {
    this.silence.stop();
    return this.driver.close();
  }

  /** Where the statement serves several requests, its sender has set the time. */
  private bounded(statement: Statement): Statement {
    const left = statement.timeout === undefined ? remaining(this.deadline()) : Infinity;
    if (left === 0) throw new WorkDroppedError('deadline');
    return left === Infinity ? statement : { ...statement, timeout: left };
  }
}

async function askOnce(driver: SqlDriver): Promise<void> {
  const session = await driver.session();
  try {
    await session.query({ name: 'ping', text: 'select now() as now', values: [], timeout: patience });
  } finally {
    // Nothing waits for a server that may not be there to say goodbye.
    void session.close();
  }
}
