import { setMaxListeners } from 'node:events';
import { Socket } from 'node:net';
import type { DatabaseHost } from '@app/config';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient } from 'pg';
import { StoreUnavailableError } from './errors';

/** The connections to one server: those of the pool and those that were checked out. */
export class ServerPool {
  readonly name: string;
  private readonly config: ClientConfig;
  private readonly pool: Pool;
  private readonly sockets = new Set<Socket>();
  private readonly left = new AbortController();

  /** @param accept rejects a new connection to a server that may no longer be used */
  constructor(
    host: DatabaseHost,
    config: ClientConfig,
    poolSize: number,
    accept?: (client: ClientBase) => Promise<unknown>,
  ) {
    this.name = host.name;
    // Every waiter for a connection listens.
    setMaxListeners(0, this.left.signal);
    this.config = { ...config, connectionString: host.connectionString, stream: () => this.socket() };
    this.pool = new Pool({
      ...this.config,
      max: poolSize,
      ...(accept && {
        verify: (client, done) => {
          accept(client).then(() => {
            done();
          }, done);
        },
      }),
    });
    // A connection broke (restart, failover): idle, the pool drops it and the next query opens another; in use, the query rejects
    // as well. Without a listener either would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** A connection of the pool. Rejects at once when the server is left meanwhile. */
  connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const { signal } = this.left;
      const leave = (): void => {
        reject(new StoreUnavailableError(`The database server ${this.name} was left.`, false));
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave);
      this.pool
        .connect()
        .then((client) => {
          if (signal.aborted) client.release(true);
          else resolve(client);
        }, reject)
        .finally(() => {
          signal.removeEventListener('abort', leave);
        });
    });
  }

  /** A connection outside of the pool, not yet connected. */
  client(changes: ClientConfig = {}): Client {
    return new Client({ ...this.config, ...changes });
  }

  counts(): { readonly idle: number; readonly busy: number; readonly waiting: number } {
    const { idleCount: idle, totalCount, waitingCount: waiting } = this.pool;
    return { idle, busy: totalCount - idle, waiting };
  }

  /** Another server is used from now on: breaks all connections, also those that are in use. */
  leave(): void {
    this.left.abort();
    void this.close();
    for (const socket of this.sockets) socket.destroy();
  }

  close(): Promise<void> {
    return this.pool.ending ? Promise.resolve() : this.pool.end();
  }

  private socket(): Socket {
    const socket = new Socket();
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }
}
