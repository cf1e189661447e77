import { DatabaseError, type ClientBase, type ClientConfig, type PoolClient } from 'pg';
import { reasonOf, StoreUnavailableError } from '../errors';
import { Servers } from './servers';
import {
  type ConnectionCounts,
  type LaneName,
  SqlError,
  type SqlDriver,
  type SqlSession,
  type SqlTransaction,
  type Statement,
} from './sql-driver';

/** A statement that takes longer has lost its database or blocks all others. */
const statementTimeout = 15_000;
/** The server's own timeout comes first; this one is for a connection that is dead. */
const patience = statementTimeout + 5_000;

const connectionConfig: ClientConfig = {
  application_name: 'sealwright',
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  statement_timeout: statementTimeout,
  // Every read has an index. Statistics of a small table would make the server scan it instead, and go on with that
  // plan while the table grows, until it is analysed again.
  // Where no other plan is left, its price looks enormous, and a server with LLVM compiles it at each call: 20 ms for a
  // table of two rows. Nothing here runs long enough to win that back.
  // Locks are held for milliseconds. Where one is held for longer, waiting for it would keep every connection busy.
  // A host that has gone without a word keeps its session locks, and with them the work of one process at a time, until
  // the server notices: 25 s instead of the usual two hours.
  options:
    '-c enable_seqscan=off -c jit=off -c lock_timeout=3000 ' +
    '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
};

/** Connections of one process, unless it asks for another number. */
export const defaultPoolSize = 10;

export class PostgresDriver implements SqlDriver {
  readonly kind = 'postgres';
  private readonly servers: Servers;

  constructor(connectionString: string, poolSize = defaultPoolSize) {
    this.servers = new Servers(connectionString, connectionConfig, poolSize);
  }

  query<T>(statement: Statement): Promise<T[]> {
    const { timeout = patience, lane } = statement;
    const until = performance.now() + timeout;
    return lane === undefined ? this.pooled(statement, until) : this.pipelined(statement, { lane, until });
  }

  async transaction<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const client = await this.connect();
    const script = (text: string): Promise<void> => answered(client.query(text).then(() => undefined));
    try {
      await script('begin');
      const result = await work({ query: (statement) => run(client, statement), script });
      await script('commit');
      client.release();
      return result;
    } catch (error) {
      const usable = await script('rollback').then(
        () => true,
        () => false,
      );
      client.release(!usable);
      this.suspect(error);
      throw error;
    }
  }

  async session(): Promise<SqlSession> {
    const server = await this.servers.find();
    const client = server.client();
    let alive = true;
    client.on('error', () => (alive = false));
    client.on('end', () => (alive = false));
    await client.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
    return {
      isAlive: () => alive,
      query: (statement) => run(client, statement),
      close: () => client.end().catch(() => undefined),
    };
  }

  connections(): ConnectionCounts {
    return this.servers.counts();
  }

  close(): Promise<void> {
    return this.servers.close();
  }

  private async pooled<T>(statement: Statement, until: number): Promise<T[]> {
    const client = await this.connect(until - performance.now());
    try {
      const rows = await run<T>(client, { ...statement, timeout: Math.max(1, until - performance.now()) });
      client.release();
      return rows;
    } catch (error) {
      client.release(error instanceof StoreUnavailableError);
      this.suspect(error);
      throw error;
    }
  }

  private pipelined<T>(
    statement: Statement,
    { lane, until }: { readonly lane: LaneName; readonly until: number },
  ): Promise<T[]> {
    const meaning = (failure: unknown): Error => {
      const error = (failure instanceof StoreUnavailableError ? failure : translate(failure)) as Error;
      this.suspect(error);
      return error;
    };
    const connection = this.servers.ready(lane);
    if (connection) return connection.query<T>(statement, until, meaning);
    return inTime(this.servers.pipelined(lane), until - performance.now()).then(
      (made) => made.query<T>(statement, until, meaning),
      (failure: unknown) => {
        throw meaning(failure);
      },
    );
  }

  /** The server may no longer be the one to use: another was promoted while it hung, or it accepts no writes. */
  private suspect(error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) return;
    const isReadOnly = error.cause instanceof DatabaseError && error.cause.code === readOnly;
    if (!error.answered || isReadOnly) this.servers.find().catch(() => undefined);
  }

  /** @param timeout milliseconds after which a connection that becomes free goes to another caller */
  private connect(timeout = patience): Promise<PoolClient> {
    return inTime(this.servers.connect(), timeout, (client) => {
      client.release();
    });
  }
}

/** The connection, unless it comes later than `timeout` milliseconds: then `late` gets it. */
function inTime<T>(connection: Promise<T>, timeout: number, late?: (connection: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new StoreUnavailableError('No connection to the database became free in time.', false));
    }, timeout);
    connection.then(
      (made) => {
        clearTimeout(timer);
        if (isLate) late?.(made);
        else resolve(made);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(unreachable(error));
      },
    );
  });
}

function run<T>(client: ClientBase, statement: Statement): Promise<T[]> {
  const { name, text, values, timeout = patience } = statement;
  const query = { name, text, values: values as unknown[], query_timeout: timeout };
  return answered(client.query(query).then((result) => result.rows as T[]));
}

async function answered<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw translate(error);
  }
}

function unreachable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const what =
    error instanceof DatabaseError ? 'The database refuses the connection' : 'The database cannot be reached';
  return new StoreUnavailableError(`${what}: ${reasonOf(error)}`, false, { cause: error });
}

const readOnly = '25006';
/**
 * SQLSTATE classes and codes after which the same statement may well succeed later, and which surely undid it. 26000: a statement before it
 * on a pipelined connection was to prepare it and failed, at a lock for instance.
 */
const refusedForNow = /^(53|58|25006|26000|57014|55P03)/;
/** The server closed the connection: whether the commit came first is unknown here. */
const connectionEnded = /^(08|57P)/;

function translate(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (connectionEnded.test(code)) return new StoreUnavailableError(error.message, true, { cause: error });
    if (refusedForNow.test(code))
      return new StoreUnavailableError(error.message, false, { cause: error, answered: true });
    return new SqlError(error.message, code, error.constraint, error.detail, { cause: error });
  }
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new StoreUnavailableError(`The connection to the database was lost: ${reasonOf(error)}`, true, {
    cause: error,
  });
}
