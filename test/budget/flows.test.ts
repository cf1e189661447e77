import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { AuthorizingFlow } from '../bench/authorizing-flow';
import type { Flow } from '../bench/flow';
import { HttpClient } from '../bench/http-client';
import { IssuingFlow } from '../bench/issuing-flow';
import { openSealwright } from '../bench/sealwright';
import { install, type ServiceProcess, startService } from '../bench/service-process';
import { holdingsOf, VerifyingFlow } from '../bench/verifying-flow';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { newHolder } from '../support/wallets/key-proofs';
import { madeTenant } from '../bench/tenants';
import { budget, budgetOfTenants, weightOfTenants, type Work } from './budget';

type Counts = Readonly<Record<Work, number>>;

const flows = 40;

/** Reads hardly ever share a statement while a machine is very busy. */
const attempts = 3;

/** Where verifiers look for the keys of an issuer. */
const keyDocuments = ['/jwks.json', '/.well-known/jwt-vc-issuer/openid4vci', '/.well-known/did.json'];

/** Statements that readers and housekeeping send beside every flow, and this test. */
const background = 'subscriptions|looked|webhook_|from rate_limits|pg_stat_statements';

let postgres: TestPostgres;
let statistics: Client;
let service: ServiceProcess;
let client: HttpClient;
let running: Readonly<Record<keyof typeof budget, Flow<HttpClient>>>;
let newTenant: (tenantId: string) => Promise<Flow<HttpClient>>;

beforeAll(async () => {
  postgres = await startPostgres({ statistics: true });
  statistics = new Client({ connectionString: postgres.url });
  await statistics.connect();
  await statistics.query('create extension if not exists pg_stat_statements');
  const installation = install(await postgres.createDatabase(), join(__dirname, '../..'));
  service = await startService(installation, join(__dirname, 'counted-process.js'));
  client = new HttpClient(service.url);
  const { issuer, verifier } = await openSealwright(client, installation.apiKey);
  const holders = Array.from({ length: 8 }, () => newHolder());
  const issuing = await IssuingFlow.prepare(client, issuer, holders);
  const verifying = new VerifyingFlow(verifier, await holdingsOf([client], issuing));
  const documents = {
    async run(by: HttpClient): Promise<void> {
      for (const path of [...issuer.metadata, ...keyDocuments]) await by.send({ method: 'GET', path });
    },
  };
  newTenant = (tenantId) => madeTenant(client, installation.apiKey, { tenantId }, holders);
  running = { issuing, verifying, authorizing: new AuthorizingFlow(issuer, holders), documents };
});

afterAll(async () => {
  await client.close();
  await service.stop();
  await statistics.end();
  await postgres.stop();
});

async function told<T>(asked: string): Promise<T> {
  const answer = once(service.child, 'message');
  service.child.send(asked);
  return (await answer)[0] as T;
}

async function countsSoFar(): Promise<Counts> {
  const { rows } = await statistics.query<Pick<Counts, 'statements' | 'commits' | 'wal'>>(
    `
    select sum(calls)::int as statements, sum(calls) filter (where query not like 'select%')::int as commits, sum(wal_bytes)::int as wal
    from pg_stat_statements where query !~ $1`,
    [background],
  );
  const counts = await told<Counts>('counts');
  const lines = readFileSync(service.log, 'utf8').split('\n').length;
  return { ...counts, lines, ...rows[0] };
}

/**
 * Of each count the smallest that a tenth of the flows had. More comes of work in the background beside a flow, and of reads that
 * share a statement only when they meet, both more often on a busy machine; less of a few reads that such work takes along. Of the bytes the
 * smallest: they follow what else the database writes.
 */
async function costOf(flow: Flow<HttpClient>): Promise<Counts> {
  // Keys, templates and statements are kept from the first flows on.
  for (let run = 0; run < flows / 2; run++) await flow.run(client);
  const costs: Counts[] = [];
  let before = await countsSoFar();
  for (let run = 0; run < flows; run++) {
    await flow.run(client);
    const after = await countsSoFar();
    const cost = Object.entries(after).map(([work, count]) => [work, count - before[work as Work]]);
    costs.push(Object.fromEntries(cost) as Counts);
    before = after;
  }
  const [first] = costs;
  const usual = (work: string): number => {
    const counts = costs.map((cost) => cost[work as Work]).sort((one, other) => one - other);
    const fewest = work === 'wal' ? 1 : flows / 10;
    return counts.find((count, at) => counts[at + fewest - 1] === count) ?? Infinity;
  };
  return Object.fromEntries(Object.keys(first ?? {}).map((work) => [work, usual(work)])) as Counts;
}

async function faultsOf(flow: Flow<HttpClient>, allowed: Counts): Promise<string[]> {
  let faults: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const cost = await costOf(flow);
    faults = (Object.keys(allowed) as Work[]).flatMap((work) => {
      if (cost[work] > allowed[work]) return `${work}: ${cost[work]}, where ${allowed[work]} are allowed`;
      const least = work === 'wal' ? allowed[work] * 0.97 : allowed[work];
      return cost[work] < least ? `${work}: ${cost[work]}, a gain to write down` : [];
    });
    if (faults.length === 0) break;
  }
  return faults;
}

describe.each(Object.entries(budget))('%s', (name, allowed) => {
  it('costs no more than its budget, which is no higher than needed', async () => {
    expect(await faultsOf(running[name as keyof typeof budget], allowed)).toEqual([]);
  });
});

describe('tenants', () => {
  const [some, many] = [15, 50];
  const flowsOf: Flow<HttpClient>[] = [];
  const weights: Readonly<Record<keyof typeof weightOfTenants, number>>[] = [];
  let before: ReadonlyMap<string, number>;

  /** How often each statement was sent while nobody asks for anything, until the keys were read a few times. */
  async function whileIdle(): Promise<ReadonlyMap<string, number>> {
    const calls = async (): Promise<Map<string, number>> => {
      const { rows } = await statistics.query<{ query: string; calls: number }>(
        `select query, sum(calls)::int as calls from pg_stat_statements where query !~ 'pg_stat_statements' group by query`,
      );
      return new Map(rows.map(({ query, calls: times }) => [query, times]));
    };
    const from = await calls();
    const since = (now: ReadonlyMap<string, number>) =>
      new Map([...now].map(([query, times]) => [query, times - (from.get(query) ?? 0)]));
    for (;;) {
      const now = since(await calls());
      if ([...now].some(([query, times]) => query.includes('key_store') && times >= 8)) return now;
      await delay(200);
    }
  }

  beforeAll(async () => {
    before = await whileIdle();
    for (const count of [some, some + many]) {
      while (flowsOf.length < count) {
        const flow = await newTenant(`town-${flowsOf.length}`);
        for (let times = 0; times < 3; times++) await flow.run(client);
        flowsOf.push(flow);
      }
      weights.push(await told('weight'));
    }
  });

  it('take no more memory than their budget', () => {
    const [first, last] = weights;
    for (const [thread, allowed] of Object.entries(weightOfTenants) as [keyof typeof weightOfTenants, number][]) {
      expect(((last?.[thread] ?? NaN) - (first?.[thread] ?? NaN)) / many / 1024).toBeLessThan(allowed);
    }
  });

  it('issue in turn at the cost of one', async () => {
    let turn = 0;
    const inTurn: Flow<HttpClient> = {
      run: (by) => flowsOf[turn++ % flowsOf.length]?.run(by) ?? Promise.reject(new Error()),
    };
    expect(await faultsOf(inTurn, { ...budget.issuing, ...budgetOfTenants })).toEqual([]);
  });

  // What asks for each tenant does so many times as there are tenants, and that several times; how often all else is asked varies by the machine.
  it('are no reason for a statement while nobody asks for anything', async () => {
    let polled: unknown[] = [];
    for (let attempt = 0; attempt < attempts; attempt++) {
      polled = [...(await whileIdle())].filter(([query, times]) => times > 1.5 * (before.get(query) ?? 0) + many);
      // Readers of events may still have had some of the flows before.
      if (polled.length === 0) break;
    }
    expect(polled).toEqual([]);
  });
});
