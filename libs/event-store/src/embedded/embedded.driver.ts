import { Turns } from '@app/primitives/context';
import { Client, DatabaseError } from 'pg';
import { lockDirectory, type DirectoryLock } from './directory-lock';
import { type EmbeddedDatabase, openEmbedded } from './embedded-database';
import { EmbeddedSocket } from './embedded-socket';
import { StoreUnavailableError } from '../errors';
import { SqlError, type SqlDriver, type SqlSession, type SqlTransaction, type Statement } from '../database/sql-driver';

/** PostgreSQL inside this process, its files in one directory: one connection, no server, for one process at a time. */
export class EmbeddedDriver implements SqlDriver {
  readonly kind = 'embedded';
  /** Of a statement, or of a whole transaction. */
  private readonly turns = new Turns();

  private constructor(
    private readonly database: EmbeddedDatabase,
    private readonly client: Client,
    private readonly lock: DirectoryLock,
  ) {}

  static async open(directory: string): Promise<EmbeddedDriver> {
    const lock = await lockDirectory(directory);
    try {
      const database = await openEmbedded(directory);
      const client = new Client({
        stream: () => new EmbeddedSocket(database),
        // Set here, because `pg` would take them from the environment.
        user: 'postgres',
        database: 'postgres',
        ssl: false,
      });
      // Statements report it.
      client.on('error', () => undefined);
      await client.connect();
      return new EmbeddedDriver(database, client, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  query<T>(statement: Statement): Promise<T[]> {
    return this.turns.take(() => this.run(statement));
  }

  transaction<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    return this.turns.take(async () => {
      await this.script('begin');
      try {
        const result = await work({
          query: (statement) => this.run(statement),
          script: (text) => this.script(text),
        });
        await this.script('commit');
        return result;
      } catch (error) {
        await this.script('rollback');
        throw error;
      }
    });
  }

  session(): Promise<SqlSession> {
    return Promise.resolve({
      isAlive: () => !this.database.closed,
      query: (statement) => this.query(statement),
      close: () => Promise.resolve(),
    });
  }

  async close(): Promise<void> {
    if (this.database.closed) return;
    await this.turns.take(() => this.client.end());
    await this.database.close();
    await this.lock.release();
  }

  private run<T>({ name, text, values }: Statement): Promise<T[]> {
    return answered(this.client.query({ name, text, values: [...values] }).then((result) => result.rows as T[]));
  }

  private script(text: string): Promise<void> {
    return answered(this.client.query(text).then(() => undefined));
  }
}

async function answered<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const { code = '', constraint, detail } = error;
    // Class 53: no space, no memory. The statement was undone.
    if (code.startsWith('53')) return new StoreUnavailableError(error.message, false, { cause: error });
    return new SqlError(error.message, code, constraint, detail, { cause: error });
  }
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return error;
  // What `pg` says of a statement that it has not sent, because the database was closed or has failed before.
  const isSent = !error.message.includes('not queryable');
  return new StoreUnavailableError(error.message, isSent, { cause: error });
}
