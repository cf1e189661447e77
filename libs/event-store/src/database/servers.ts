import { setTimeout as delay } from 'node:timers/promises';
import { databaseHosts, type DatabaseHost } from '@app/config';
import { Logger } from '@nestjs/common';
import type { ClientBase, ClientConfig, PoolClient } from 'pg';
import { reasonOf, sqlStateOf, StoreUnavailableError } from '../errors';
import type { PipelinedConnection } from './pipelined-connection';
import { ServerPool } from './server-pool';
import { type Standing, standingOf, Standings } from './server-standing';
import type { ConnectionCounts, LaneName } from './sql-driver';

/** Milliseconds for which the other hosts are waited for once one may be used: a later one may be the right one. */
const grace = 1_000;
/** Milliseconds for the connection by which a host is asked: one that hangs must not keep a promotion from being noticed. */
const askTimeout = 2_000;

interface Asked {
  readonly host: DatabaseHost;
  /** Absent where any server is wanted. */
  readonly standing?: Standing;
}

/** The servers of a connection string, of which one at a time is used. */
export class Servers {
  private readonly logger = new Logger('Database');
  private readonly hosts: readonly DatabaseHost[];
  private readonly standings: Standings | undefined;
  private used: ServerPool | undefined;
  private search: Promise<ServerPool> | undefined;
  private isClosed = false;

  constructor(
    connectionString: string,
    private readonly config: ClientConfig,
    private readonly poolSize: number,
  ) {
    const { wanted, hosts } = databaseHosts(connectionString);
    this.hosts = hosts;
    this.standings = wanted === 'any' ? undefined : new Standings(wanted);
    const [first] = hosts;
    if (this.isFixed && first) this.used = this.open(first);
  }

  /** A connection of the pool of the server in use; when that fails, of the one that is found then. */
  connect(): Promise<PoolClient> {
    return this.connected((server) => server.connect());
  }

  /** A connection of a lane that is open already, where the server in use has one. */
  ready(lane: LaneName): PipelinedConnection | undefined {
    return this.used?.lane(lane).ready();
  }

  /** As `connect`, of a lane. */
  pipelined(lane: LaneName): Promise<PipelinedConnection> {
    return this.connected((server) => server.lane(lane).connection());
  }

  /**
   * Asks all hosts which server is to be used, and uses that one from now on. Connections to the former one are cut: what is under
   * way there would never end, be refused, or be lost.
   */
  find(): Promise<ServerPool> {
    if (this.isFixed && this.used) return Promise.resolve(this.used);
    this.search ??= this.searchOnce().finally(() => (this.search = undefined));
    return this.search;
  }

  counts(): ConnectionCounts {
    return this.used?.counts() ?? { idle: 0, busy: 0, waiting: 0 };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.search?.catch(() => undefined);
    await this.used?.close();
  }

  /** One host that is used whatever its role. */
  private get isFixed(): boolean {
    return this.hosts.length === 1 && this.standings === undefined;
  }

  private async connected<T>(connect: (server: ServerPool) => Promise<T>): Promise<T> {
    const server = this.used ?? (await this.find());
    try {
      return await connect(server);
    } catch (error) {
      if (this.isFixed) throw error;
      const found = this.used === server ? await this.find() : this.used;
      if (found === undefined) throw error;
      return connect(found);
    }
  }

  private async searchOnce(): Promise<ServerPool> {
    const { best, refusals, failures } = await this.askAll();
    if (this.isClosed) throw new StoreUnavailableError('The database was closed.', false);
    if (best === undefined) {
      const reasons = [...refusals].map(([name, reason]) => `${name} (${reason})`).join(', ');
      const what = this.standings ? 'No database server accepts writes' : 'No database server can be reached';
      const areAlike = failures.length === refusals.size && new Set(failures.map(sqlStateOf)).size === 1;
      throw new StoreUnavailableError(`${what}: ${reasons}.`, false, { cause: areAlike ? failures[0] : undefined });
    }
    if (this.used?.name === best.host.name) return this.used;
    const former = this.used;
    this.used = this.open(best.host);
    if (former) {
      this.logger.warn({ event: 'database.server-changed', server: best.host.name });
      former.leave();
    }
    return this.used;
  }

  /** The server of the latest timeline among those that may be used; of several the one in use, else the first that is written. */
  private async askAll() {
    const suitable: Asked[] = [];
    const refusals = new Map<string, string>();
    const failures: unknown[] = [];
    let found = (): void => undefined;
    const first = new Promise<void>((resolve) => (found = resolve));
    const answers = this.hosts.map(async (host) => {
      try {
        const asked = await this.ask(host);
        const objection = asked.standing && this.standings?.objection(asked.standing);
        if (objection !== undefined) {
          refusals.set(host.name, objection);
          return;
        }
        suitable.push(asked);
        found();
      } catch (error) {
        refusals.set(host.name, reasonOf(error));
        failures.push(error);
      }
    });
    await Promise.race([Promise.all(answers), first.then(() => delay(grace, undefined, { ref: false }))]);
    const rank = ({ host }: Asked): number => (host.name === this.used?.name ? -1 : this.hosts.indexOf(host));
    const [best] = suitable.sort(
      (a, b) => (b.standing?.timeline ?? 0) - (a.standing?.timeline ?? 0) || rank(a) - rank(b),
    );
    if (best?.standing) this.standings?.saw(best.standing);
    return { best, refusals, failures };
  }

  private async ask(host: DatabaseHost): Promise<Asked> {
    const pool = this.used?.name === host.name ? this.used : undefined;
    const client = (pool ?? this.open(host)).client({ connectionTimeoutMillis: askTimeout });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return this.standings ? { host, standing: await standingOf(client) } : { host };
    } finally {
      // Nothing waits for a server that may not be there to say goodbye.
      void client.end().catch(() => undefined);
    }
  }

  private open(host: DatabaseHost): ServerPool {
    const { standings } = this;
    return new ServerPool(host, this.config, this.poolSize, standings && ((client) => this.accept(client, standings)));
  }

  private async accept(client: ClientBase, standings: Standings): Promise<void> {
    const standing = await standingOf(client);
    const objection = standings.objection(standing);
    if (objection !== undefined)
      throw new StoreUnavailableError(`The database server cannot be used: ${objection}.`, false);
    standings.saw(standing);
  }
}
