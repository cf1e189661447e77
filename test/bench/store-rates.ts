import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { newHolder } from '../support/wallets/key-proofs';
import { clientAt, clientsOf } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import type { HttpClient } from './http-client';
import type { IssuingFlow } from './issuing-flow';
import { type Load, measure, type Measured, turnByTurn } from './load';
import { mostInFlight, type Plan, wallets } from './plan';
import { readPostgresFacts } from './postgres-facts';
import { RoundRobin, togetherOf } from './replica-rates';
import { install, startService } from './service-process';
import { madeTenant } from './tenants';

/** What a flow costs a store, of all flows, whichever store they are of. */
export interface StoreShare {
  readonly store: string;
  readonly walBytes: number;
  readonly diskBytes: number;
}

export interface StoreRates {
  /** How many stores have the tenants whose flows these are. */
  readonly stores: number;
  /** Whether the first one has any of them. */
  readonly isFirstAmong: boolean;
  /** The meters of the stores have their names. */
  readonly measured: Measured;
  readonly shares: readonly StoreShare[];
}

interface Store {
  readonly name: string;
  readonly database: string;
  readonly cpu: CpuMeter;
  readonly flows: IssuingFlow[];
}

/** The first store, and further ones. */
const names = ['first', 'second', 'third', 'fourth'];
const tenantsOfEach = 8;
const replicas = 2;

/**
 * The issuing flow of tenants who take turns, over two replicas, turn by turn: of tenants in one, two and four stores, each a PostgreSQL server
 * of its own, and of those in further stores alone. The other stores are there meanwhile, and idle.
 */
export async function storeRates(plan: Plan): Promise<StoreRates[]> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-stores-'));
  const servers: TestPostgres[] = [];
  const stops: (() => Promise<void>)[] = [];
  try {
    const stores: Store[] = [];
    for (const name of names) {
      const server = await startPostgres({ fsync: true });
      servers.push(server);
      const database = await server.createDatabase();
      stores.push({ name, database, cpu: (await readPostgresFacts(database)).cpu, flows: [] });
      if (name !== names[0]) writeFileSync(join(directory, name), database);
    }
    const installed = install(stores[0]?.database ?? '');
    const settings = { ...installed.settings, SERVICE__STORES__DIRECTORY: directory };
    const processes: CpuMeter[] = [];
    const clients: (readonly HttpClient[])[] = [];
    // One after the other: the first makes the keys and the tables.
    for (let replica = 0; replica < replicas; replica++) {
      const service = await startService({ ...installed, settings });
      const own = clientsOf(service.url);
      stops.push(async () => {
        await Promise.all(own.map((client) => client.close()));
        await service.stop();
      });
      processes.push(cpuOfProcess(service.pid));
      clients.push(own);
    }
    const balanced = Array.from(
      { length: mostInFlight },
      (_, caller) => new RoundRobin(clients.map((own) => clientAt(own, caller))),
    );
    const [maker] = balanced;
    if (!maker) throw new Error('There is no caller.');
    const holders = Array.from({ length: wallets }, () => newHolder());
    for (const { name, flows } of stores) {
      for (let number = 0; number < tenantsOfEach; number++) {
        const terms = { tenantId: `${name}-${number}`, ...(name !== names[0] && { store: name }) };
        flows.push(await madeTenant(maker, installed.apiKey, terms, holders));
      }
      plan.note(`${flows.length} tenants in the ${name} store`);
    }
    const meters = {
      services: togetherOf(processes),
      databases: togetherOf(stores.map(({ cpu }) => cpu)),
      generator: cpuOfProcess(process.pid),
      ...Object.fromEntries(stores.map(({ name, cpu }) => [name, cpu])),
    };
    const load = (some: readonly Store[]): Omit<Load, 'until'> => {
      // One tenant of each store, then the next of each.
      const flows = Array.from({ length: tenantsOfEach }, (_, at) => some.map((store) => store.flows[at])).flat();
      let turn = 0;
      return {
        callers: mostInFlight,
        work: (caller) => flows[turn++ % flows.length]?.run(balanced[caller] ?? maker) ?? Promise.reject(new Error()),
        meters,
      };
    };
    const compared = [stores.slice(0, 1), stores.slice(0, 2), stores, stores.slice(1)];
    await measure({ ...load(stores), until: { times: plan.warmUpFlows } });
    const measured = await turnByTurn<string>(
      plan,
      Object.fromEntries(compared.map((some) => [titleOf(some), { ...load(some), until: { seconds: plan.seconds } }])),
    );
    const rates: StoreRates[] = [];
    for (const some of compared) {
      const found = measured[titleOf(some)];
      if (!found) throw new Error('A load was not measured.');
      rates.push({
        stores: some.length,
        isFirstAmong: some[0] === stores[0],
        measured: found,
        shares: await written(stores, { ...load(some), until: { times: 2 * plan.warmUpFlows } }),
      });
    }
    return rates;
  } finally {
    for (const stop of stops) await stop();
    for (const server of servers) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function titleOf(stores: readonly Store[]): string {
  return `tenants of ${stores.map(({ name }) => name).join(', ')}`;
}

/** What each store writes for a number of flows, each from a checkpoint on. */
async function written(stores: readonly Store[], load: Load & { until: { times: number } }): Promise<StoreShare[]> {
  const before = await Promise.all(stores.map((store) => bytesOf(store, 'checkpoint')));
  await measure(load);
  const after = await Promise.all(stores.map((store) => bytesOf(store)));
  return stores.map(({ name }, at) => ({
    store: name,
    walBytes: ((after[at]?.wal ?? NaN) - (before[at]?.wal ?? NaN)) / load.until.times,
    diskBytes: ((after[at]?.disk ?? NaN) - (before[at]?.disk ?? NaN)) / load.until.times,
  }));
}

async function bytesOf(
  { database }: Store,
  first?: 'checkpoint',
): Promise<{ readonly wal: number; readonly disk: number }> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    if (first) await client.query(first);
    const { rows } = await client.query<{ wal: number; disk: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as disk`,
    );
    const [bytes] = rows;
    if (!bytes) throw new Error('The database says nothing of its size.');
    return bytes;
  } finally {
    await client.end();
  }
}
