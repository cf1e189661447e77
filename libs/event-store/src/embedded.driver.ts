import { join } from 'node:path';
import type { PGliteInterface, Transaction } from '@electric-sql/pglite';
import { lockDirectory, type DirectoryLock } from './directory-lock';
import { StoreUnavailableError } from './errors';
import { SqlError, type SqlDriver, type SqlSession, type SqlTransaction, type Statement } from './sql-driver';

const bytea = 17;

/** PostgreSQL inside this process, its files in one directory: one connection, no server, for one process at a time. */
export class EmbeddedDriver implements SqlDriver {
  readonly kind = 'embedded';

  private constructor(
    private readonly database: PGliteInterface,
    private readonly lock: DirectoryLock,
  ) {}

  static async open(directory: string): Promise<EmbeddedDriver> {
    const lock = await lockDirectory(directory);
    try {
      // Loaded here because a service on a PostgreSQL server never needs its 10 MB.
      const { PGlite } = await import('@electric-sql/pglite');
      const parsers = { [bytea]: (value: string) => Buffer.from(value.slice(2), 'hex') };
      return new EmbeddedDriver(await PGlite.create({ dataDir: join(directory, 'database'), parsers }), lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  query<T>(statement: Statement): Promise<T[]> {
    return run<T>(this.database, statement);
  }

  transaction<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction((tx) =>
      work({
        query: (statement) => run(tx, statement),
        script: (text) => answered(tx.exec(text).then(() => undefined)),
      }),
    );
  }

  session(): Promise<SqlSession> {
    return Promise.resolve({
      isAlive: () => !this.database.closed,
      query: (statement) => run(this.database, statement),
      close: () => Promise.resolve(),
    });
  }

  async close(): Promise<void> {
    if (this.database.closed) return;
    await this.database.close();
    await this.lock.release();
  }
}

function run<T>(executor: Pick<Transaction, 'query'>, statement: Statement): Promise<T[]> {
  return answered(executor.query<T>(statement.text, [...statement.values]).then((result) => result.rows));
}

async function answered<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint, detail } = error as Partial<Record<'code' | 'constraint' | 'detail', string>>;
  // Class 53: no space, no memory. The statement was undone.
  if (code?.startsWith('53')) return new StoreUnavailableError(error.message, false, { cause: error });
  if (code !== undefined) return new SqlError(error.message, code, constraint, detail, { cause: error });
  if (error.message.includes('closed')) return new StoreUnavailableError(error.message, false, { cause: error });
  return error;
}
