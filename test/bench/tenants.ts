import { setTimeout as delay } from 'node:timers/promises';
import type { TestPostgres } from '../support/database/postgres';
import { type Holder, newHolder } from '../support/wallets/key-proofs';
import { clientAt, clientsOf, loadOf } from './contenders';
import { cpuOfProcess, type CpuMeter, memoryOf } from './cpu';
import { type Flow, json } from './flow';
import type { HttpClient, Sender } from './http-client';
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
  /** MiB without requests after as many flows: of one tenant, and then of all in turn. */
  readonly memory: Readonly<Record<'one' | 'all', number | undefined>>;
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
    const memoryAfter = async (some: readonly IssuingFlow[]): Promise<number | undefined> => {
      await measure({ ...load(some), until: { times: 2 * tenants + plan.warmUpFlows } });
      await delay(plan.idleSeconds * 1000);
      return memoryOf(service.pid).now;
    };
    const one = flows.slice(0, 1);
    const memory = { one: await memoryAfter(one), all: await memoryAfter(flows) };
    const rates = await turnByTurn(plan, { one: load(one), all: load(flows) });
    return { without, with: figures, memory, rates };
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
      flows.push(await madeTenant(client, apiKey, { tenantId }, holders));
      if (flows.length % 100 === 0) plan.note(`${flows.length} tenants`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => lane(clientAt(clients, index))));
  return flows;
}

/** Makes a tenant with a template, and its flow. @param apiKey of its operator @param terms of `POST /v0/tenants` */
export async function madeTenant(
  client: Sender,
  apiKey: string,
  terms: { readonly tenantId: string; readonly store?: string },
  holders: readonly Holder[],
): Promise<IssuingFlow> {
  const { tenantId } = terms;
  const body = json({ displayName: `Town ${tenantId}`, ...terms });
  const created = await client.send({ method: 'POST', path: '/v0/tenants', bearer: apiKey, ...body });
  const { apiKey: own } = JSON.parse(created) as { apiKey: string };
  const { issuer } = await openSealwright(client, own, {}, undefined, `/t/${tenantId}`);
  return IssuingFlow.prepare(client, issuer, holders);
}

function flowAt(flows: readonly IssuingFlow[], index: number): IssuingFlow {
  const flow = flows[index];
  if (!flow) throw new Error(`There is no flow ${index}.`);
  return flow;
}
