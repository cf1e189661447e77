import { setTimeout as delay } from 'node:timers/promises';
import type { TestPostgres } from '../support/database/postgres';
import { newHolder } from '../support/wallets/key-proofs';
import { clientAt, clientsOf, loadOf } from './contenders';
import { cpuOfProcess, type CpuMeter, memoryOf } from './cpu';
import { type Flow, json } from './flow';
import type { HttpClient } from './http-client';
import { IssuingFlow } from './issuing-flow';
import { measure, type Measured, turnByTurn } from './load';
import { mostInFlight, type Plan, wallets } from './plan';
import { openSealwright } from './sealwright';
import { install, type Installation, type ServiceProcess, startService } from './service-process';

export const tenants = 1_000;

/** What a process takes. */
export interface TenantFigures {
  /** From its begin until it is ready. */
  readonly startSeconds: number;
  /** MiB without requests, after the start. */
  readonly memory: number | undefined;
  /** Share of a core that the database takes meanwhile. */
  readonly idleDatabase: number | undefined;
}

export interface TenantCosts {
  readonly without: TenantFigures;
  readonly with: TenantFigures;
  /** MiB without requests, once each tenant has issued. */
  readonly memoryOfAll: number | undefined;
  /** The issuing flow: of one tenant, and of all of them in turn. */
  readonly rates: Readonly<Record<'one' | 'all', Measured>>;
}

/** One store without tenants and with a thousand: what a start and a flow cost. */
export async function tenantCosts(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<TenantCosts> {
  const installation = install(await postgres.createDatabase());
  // The first start makes the keys.
  await (await startService(installation)).stop();
  const [alone, without] = await started(installation, cpu, plan);
  const flows = await withClients(alone, (clients) => made(installation, clients, plan));
  await alone.stop();
  const [service, figures] = await started(installation, cpu, plan);
  const clients = clientsOf(service.url);
  try {
    let turn = 0;
    const of = (some: readonly IssuingFlow[]): Flow<HttpClient> => ({
      run: (client) => flowAt(some, turn++ % some.length).run(client),
    });
    const generator = cpuOfProcess(process.pid);
    const load = (some: readonly IssuingFlow[]) => ({
      ...loadOf({ process: service, clients }, of(some), mostInFlight, { postgres: cpu, generator }),
      until: { seconds: plan.seconds },
    });
    await measure({ ...load(flows), until: { times: tenants + plan.warmUpFlows } });
    const rates = await turnByTurn(plan, { one: load(flows.slice(0, 1)), all: load(flows) });
    await delay(plan.idleSeconds * 1000);
    return { without, with: figures, memoryOfAll: memoryOf(service.pid).now, rates };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await service.stop();
  }
}

async function started(
  installation: Installation,
  cpu: CpuMeter,
  plan: Plan,
): Promise<[ServiceProcess, TenantFigures]> {
  const begin = performance.now();
  const service = await startService(installation);
  const startSeconds = (performance.now() - begin) / 1000;
  const [before, from] = [cpu(), performance.now()];
  await delay(plan.idleSeconds * 1000);
  const after = cpu();
  const idleDatabase =
    before === undefined || after === undefined ? undefined : (after - before) / ((performance.now() - from) / 1000);
  return [service, { startSeconds, memory: memoryOf(service.pid).now, idleDatabase }];
}

async function withClients<T>(
  service: ServiceProcess,
  work: (clients: readonly HttpClient[]) => Promise<T>,
): Promise<T> {
  const clients = clientsOf(service.url);
  try {
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Makes the tenants, and their flows. */
async function made({ apiKey }: Installation, clients: readonly HttpClient[], plan: Plan): Promise<IssuingFlow[]> {
  const holders = Array.from({ length: wallets }, () => newHolder());
  const flows: IssuingFlow[] = [];
  const waiting = Array.from({ length: tenants }, (_, number) => `town-${number}`).values();
  const lane = async (client: HttpClient): Promise<void> => {
    for (const tenantId of waiting) {
      const terms = { tenantId, displayName: `Town ${tenantId}` };
      const created = await client.send({ method: 'POST', path: '/v0/tenants', bearer: apiKey, ...json(terms) });
      const { apiKey: own } = JSON.parse(created) as { apiKey: string };
      const { issuer } = await openSealwright(client, own, {}, undefined, `/t/${tenantId}`);
      flows.push(await IssuingFlow.prepare(client, issuer, holders));
      if (flows.length % 100 === 0) plan.note(`${flows.length} tenants`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => lane(clientAt(clients, index))));
  return flows;
}

function flowAt(flows: readonly IssuingFlow[], index: number): IssuingFlow {
  const flow = flows[index];
  if (!flow) throw new Error(`There is no flow ${index}.`);
  return flow;
}
