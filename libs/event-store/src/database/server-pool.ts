import { apart } from '@app/primitives/context';
import { setMaxListeners } from 'node:events';
import { Socket } from 'node:net';
import type { DatabaseHost } from '@app/config';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient } from 'pg';
import { StoreUnavailableError } from '../errors';
import { ConnectionLane, laneSize } from './connection-lane';
import { PipelinedConnection } from './pipelined-connection';
import { type ConnectionCounts, type LaneName, laneNames } from './sql-driver';

/**
 * The few statements of the lanes have one plan whatever their values, which is made once. PostgreSQL would otherwise make another
 * at each call, as long as it looks cheaper with the length of the arrays known: half of what the statement costs.
 */
const oncePlanned = '-c plan_cache_mode=force_generic_plan';

/** Outlives the request that opens it. */
class LastingClient extends Client {
  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    return apart(() => {
      if (!callback) return super.connect();
      super.connect(forgotten(callback));
      return undefined;
    });
  }
}

/** `pg` keeps the callback for as long as the connection, and by it the pool's timer, which has the context of the request. */
function forgotten(callback: (error: Error) => void): (error: Error) => void {
  let waiting: typeof callback | undefined = callback;
  return (error) => {
    const called = waiting;
    waiting = undefined;
    called?.(error);
  };
}

/** The connections to one server: those of the lanes, those of the pool, and those that were checked out. */
export class ServerPool {
  readonly name: string;
  private readonly config: ClientConfig;
  private readonly pool: Pool;
  private readonly lanes: Readonly<Record<LaneName, ConnectionLane>>;
  private readonly sockets = new Set<Socket>();
  private readonly left = new AbortController();

  /**
   * @param size of the pool and all lanes together
   * @param accept rejects a new connection to a server that may no longer be used
   */
  constructor(
    host: DatabaseHost,
    config: ClientConfig,
    size: number,
    private readonly accept?: (client: ClientBase) => Promise<unknown>,
  ) {
    this.name = host.name;
    // Every waiter for a connection listens.
    setMaxListeners(0, this.left.signal);
    this.config = { ...config, connectionString: host.connectionString, stream: () => this.socket() };
    this.pool = new Pool({
      ...this.config,
      Client: LastingClient,
      max: Math.max(2, size - laneNames.length * laneSize),
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
    const lane = (): ConnectionLane => new ConnectionLane(() => this.pipelined());
    this.lanes = { reads: lane(), appends: lane() };
  }

  lane(name: LaneName): ConnectionLane {
    return this.lanes[name];
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
    return new LastingClient({ ...this.config, ...changes });
  }

  counts(): ConnectionCounts {
    const { idleCount, totalCount, waitingCount: waiting } = this.pool;
    const lanes = Object.values(this.lanes).map((lane) => lane.counts());
    const idle = lanes.reduce((sum, lane) => sum + lane.idle, idleCount);
    const busy = lanes.reduce((sum, lane) => sum + lane.busy, totalCount - idleCount);
    return { idle, busy, waiting };
  }

  /** Another server is used from now on: breaks all connections, also those that are in use. */
  leave(): void {
    this.left.abort();
    void this.close();
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    await Promise.all([
      this.pool.ending ? undefined : this.pool.end(),
      ...Object.values(this.lanes).map((lane) => lane.close()),
    ]);
  }

  private async pipelined(): Promise<PipelinedConnection> {
    const socket = this.socket();
    const options = `${this.config.options ?? ''} ${oncePlanned}`;
    const client = new LastingClient({ ...this.config, options, stream: () => socket, pipeline: true });
    const connection = new PipelinedConnection(client, socket);
    try {
      if (this.left.signal.aborted)
        throw new StoreUnavailableError(`The database server ${this.name} was left.`, false);
      await client.connect();
      await this.accept?.(client);
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private socket(): Socket {
    const socket = new Socket();
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }
}
