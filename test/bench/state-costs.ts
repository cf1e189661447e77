import { setTimeout as delay } from 'node:timers/promises';
import type { TestPostgres } from '../support/database/postgres';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { clientAt, clientsOf } from './flow-rates';
import { IssuingFlow } from './issuing-flow';
import { measure, type Measured, medianOf } from './load';
import type { Plan } from './plan';
import { startService } from './service-process';
import { fewInState, fillOffers } from './stored-states';

const pagesPerState = 20;
const callers = 8;
const idleSeconds = 10;

/** What is measured, in the order of the report. */
const pages: Readonly<Record<string, string>> = {
  'no filter': '',
  'Redeemed, half of all': '&state=Redeemed',
  'Expired, half of all': '&state=Expired',
  [`Open, ${fewInState}`]: '&state=Open',
  [`Online, ${fewInState}`]: '&state=Online',
  [`Offline, ${fewInState}`]: '&state=Offline',
  [`Locked, ${fewInState}`]: '&state=Locked',
  'Withdrawn, none': '&state=Withdrawn',
};

export interface StateCosts {
  readonly offers: number;
  /** By version: `now`, and `before` where another build is compared. */
  readonly versions: Readonly<Record<string, VersionCosts>>;
}

export interface VersionCosts {
  /** CPU of the database for each second of an idle replica. */
  readonly idle: Measured;
  readonly pages: Readonly<Record<string, Measured>>;
  readonly flow: Measured;
}

/**
 * An idle replica, lists of offers by state and the issuing flow: this build and, with `BENCH_BEFORE=<directory>`, the build
 * of another checkout, turn by turn, each alone and with a database of its own.
 */
export async function stateCosts(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<StateCosts> {
  const before = process.env['BENCH_BEFORE'];
  const versions: [string, Version][] = [];
  if (before !== undefined) versions.push(['before', await prepare(postgres, plan, before)]);
  versions.push(['now', await prepare(postgres, plan, undefined)]);
  const rounds = versions.map(([name, version]) => ({ name, version, results: [] as VersionCosts[] }));
  for (let round = 0; round < plan.rounds; round++) {
    for (const { version, results } of rounds) results.push(await measureVersion(version, cpu, plan));
  }
  return {
    offers: plan.offersByState,
    versions: Object.fromEntries(rounds.map(({ name, results }) => [name, medianCosts(results)])),
  };
}

interface Version {
  readonly database: string;
  /** Of another build. */
  readonly directory: string | undefined;
}

async function prepare(postgres: TestPostgres, plan: Plan, directory: string | undefined): Promise<Version> {
  const database = await postgres.createDatabase();
  const service = await startService({ database, directory });
  await service.stop();
  await fillOffers(database, plan.offersByState);
  return { database, directory };
}

async function measureVersion(version: Version, postgres: CpuMeter, plan: Plan): Promise<VersionCosts> {
  const service = await startService(version);
  const meters = { service: cpuOfProcess(service.pid), postgres };
  await delay(3_000);
  const second = (): Promise<void> => delay(1_000);
  const idle = await measure({ callers: 1, until: { times: idleSeconds }, work: second, meters });

  const clients = clientsOf(service.url);
  const client = clientAt(clients, 0);
  const costs: Record<string, Measured> = {};
  for (const [name, query] of Object.entries(pages)) {
    const work = () => client.send({ method: 'GET', path: `/v0/offers?limit=200${query}` });
    await measure({ callers: 1, until: { times: 3 }, work });
    costs[name] = await measure({ callers: 1, until: { times: pagesPerState }, work, meters });
  }
  const issuing = await IssuingFlow.prepare(client, service.url);
  const flow = { callers, work: (caller: number) => issuing.run(clientAt(clients, caller)), meters };
  await measure({ ...flow, until: { times: 200 } });
  const flows = await measure({ ...flow, until: { times: plan.flowsPerFill } });
  await Promise.all(clients.map((one) => one.close()));
  await service.stop();
  return { idle, pages: costs, flow: withoutIdle(flows, idle) };
}

/** The background queries of an idle replica are not the cost of a flow. */
function withoutIdle(flow: Measured, idle: Measured): Measured {
  const { postgres } = flow.cpu;
  const perSecond = idle.cpu['postgres'];
  if (postgres === undefined || perSecond === undefined) return flow;
  return { ...flow, cpu: { ...flow.cpu, postgres: postgres - perSecond / flow.perSecond } };
}

function medianCosts(rounds: readonly VersionCosts[]): VersionCosts {
  const ofPage = (name: string): Measured => medianOf(rounds.flatMap((round) => round.pages[name] ?? []));
  return {
    idle: medianOf(rounds.map(({ idle }) => idle)),
    pages: Object.fromEntries(Object.keys(pages).map((name) => [name, ofPage(name)])),
    flow: medianOf(rounds.map(({ flow }) => flow)),
  };
}
