import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createDatabase } from './postgres';
import { serverOwner, usableBinaries } from './postgres-binaries';
import { dataOf, initialize, own, type PostgresServer, prepareServer } from './postgres-server';

/** Two servers: each commit of the first waits until the second has it. */
export interface ReplicatedPostgres {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The URL of a fresh, empty database, with both hosts. @param attributes of the session that is wanted */
  createDatabase(attributes?: string): Promise<string>;
  /** Promotes the standby. Returns when it accepts writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const owner = serverOwner();
  const password = randomBytes(12).toString('hex');
  const directory = mkdtempSync(join(tmpdir(), 'postgres-primary-'));
  const copy = mkdtempSync(join(tmpdir(), 'postgres-standby-'));
  const native = usableBinaries(directory, owner);
  const place = { native, directory, owner, password };
  initialize(place);
  // A cluster that never ran is copied as it stands.
  cpSync(dataOf(directory), dataOf(copy), { recursive: true });
  // PostgreSQL accepts no other mode, and Node 24 does not copy that of directories.
  chmodSync(dataOf(copy), 0o700);
  writeFileSync(join(dataOf(copy), 'standby.signal'), '');
  own(copy, owner);
  const quick = { fsync: 'off', full_page_writes: 'off' };
  const primary = await prepareServer(place, { ...quick, synchronous_standby_names: 'standby' });
  const { hostname, port } = new URL(primary.url);
  const standby = await prepareServer(
    { ...place, directory: copy },
    {
      ...quick,
      wal_retrieve_retry_interval: '200ms',
      primary_conninfo: `host=${hostname} port=${port} user=postgres password=${password} application_name=standby`,
    },
  );
  await primary.start();
  await standby.start();
  await untilOne(primary.url, `select 1 from pg_stat_replication where sync_state = 'sync'`);
  return {
    primary,
    standby,
    createDatabase: async (attributes) => {
      const url = new URL(await createDatabase(primary.url));
      // The commit waited until the standby had it, not until it shows it.
      await untilOne(standby.url, `select 1 from pg_database where datname = '${url.pathname.slice(1)}'`);
      const hosts = `${url.host},${new URL(standby.url).host}`;
      const wanted = attributes === undefined ? '' : `?target_session_attrs=${attributes}`;
      return `postgres://postgres:${password}@${hosts}${url.pathname}${wanted}`;
    },
    promote: async () => {
      await ask(standby.url, 'select pg_promote(true, 30)');
    },
    stop: async () => {
      // The programs may lie in the directory of the primary.
      await standby.stop();
      await primary.stop();
    },
  };
}

async function untilOne(url: string, text: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const [row] = await ask(url, text);
    if (row) return;
    await delay(50);
  }
  throw new Error(`Nothing came of: ${text}`);
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
