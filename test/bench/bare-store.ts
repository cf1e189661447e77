import { Client, type QueryConfig } from 'pg';

/** One event of a stream and the state it leads to. */
export interface BareEvent {
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly state: string;
  /** A wrapped data key to keep. */
  readonly key?: string;
  /** A value that can be used once. */
  readonly used?: string;
}

export interface BareState<State> {
  readonly state: State;
  readonly key: string | null;
}

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
};

/** Items that arrive while all connections are busy go together with the next statement. */
class SharedStatements<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];

  constructor(
    private readonly idle: Client[],
    private readonly statement: (items: readonly Item[]) => QueryConfig,
    private readonly resultOf: (item: Item, rows: readonly Record<string, unknown>[]) => Result,
  ) {}

  send(item: Item): Promise<Result> {
    return new Promise((done, failed) => {
      this.waiting.push({ item, done, failed });
      this.next();
    });
  }

  private next(): void {
    const client = this.waiting.length > 0 ? this.idle.pop() : undefined;
    if (!client) return;
    const together = this.waiting.splice(0, 100);
    client
      .query<Record<string, unknown>>(this.statement(together.map(({ item }) => item)))
      .then(
        ({ rows }) => {
          for (const { item, done } of together) done(this.resultOf(item, rows));
        },
        (error: unknown) => {
          for (const { failed } of together) failed(error);
        },
      )
      .finally(() => {
        this.idle.push(client);
        this.next();
      });
  }
}

const tables = `
  create table bare_events (stream_id text collate "C", version int, type text not null, data jsonb not null,
    recorded_at timestamptz not null default now(), primary key (stream_id, version));
  create table bare_states (stream_id text collate "C" primary key, version int not null, state jsonb not null,
    updated_at timestamptz not null default now()) with (fillfactor = 70);
  create table bare_keys (stream_id text collate "C" primary key, key text not null);
  create table bare_used (value text collate "C" primary key)`;

const append = `with folded as (
    insert into bare_states (stream_id, version, state) select stream_id, version, state::jsonb
    from unnest($1::text[], $2::int[], $5::text[]) as r (stream_id, version, state)
    on conflict (stream_id) do update set version = excluded.version, state = excluded.state, updated_at = now()
  ), kept as (
    insert into bare_keys select stream_id, key from unnest($1::text[], $6::text[]) as r (stream_id, key)
    where key is not null
  ), used as (
    insert into bare_used select value from unnest($7::text[]) as r (value) where value is not null
  ) insert into bare_events (stream_id, version, type, data) select stream_id, version, type, data::jsonb
  from unnest($1::text[], $2::int[], $3::text[], $4::text[]) as r (stream_id, version, type, data)`;

const find = `select stream_id, state, key from unnest($1::text[]) as r (id)
  join bare_states on stream_id = id left join bare_keys using (stream_id)`;

/**
 * What durable events cost at the least: shared named statements with many rows over few connections, whose primary keys
 * detect conflicts. No proofs, audit, timeouts, retries, lists or erasure.
 */
export class BareStore {
  private readonly appends: SharedStatements<BareEvent, undefined>;
  private readonly reads: SharedStatements<string, BareState<unknown> | undefined>;

  private constructor(private readonly clients: readonly Client[]) {
    this.appends = new SharedStatements(
      clients.slice(0, 2),
      (events) => ({
        name: 'append',
        text: append,
        values: [
          events.map(({ streamId }) => streamId),
          events.map(({ version }) => version),
          events.map(({ type }) => type),
          events.map(({ data }) => data),
          events.map(({ state }) => state),
          events.map(({ key }) => key ?? null),
          events.map(({ used }) => used ?? null),
        ],
      }),
      () => undefined,
    );
    this.reads = new SharedStatements(
      clients.slice(2),
      (ids) => ({ name: 'find', text: find, values: [ids] }),
      (id, rows) => rows.find(({ stream_id }) => stream_id === id) as BareState<unknown> | undefined,
    );
  }

  /** As many connections as the service uses for its hot statements: two that write and two that read. */
  static async open(database: string): Promise<BareStore> {
    const clients = Array.from({ length: 4 }, () => new Client({ connectionString: database }));
    await Promise.all(clients.map((client) => client.connect()));
    await clients[0]?.query(tables);
    return new BareStore(clients);
  }

  append(event: BareEvent): Promise<void> {
    return this.appends.send(event);
  }

  async find<State>(streamId: string): Promise<BareState<State>> {
    const found = await this.reads.send(streamId);
    if (!found) throw new Error(`There is no stream ${streamId}.`);
    return found as BareState<State>;
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.end()));
  }
}
