import type { TestPostgres } from '../support/database/postgres';
import {
  clientAt,
  type Contender,
  contendingFloor,
  contendingService,
  loadOf,
  memoryAfter,
  type Memory,
} from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import type { Flow } from './flow';
import { countEvents, fillStore, settledSize } from './filled-store';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { install } from './service-process';

const callers = 32;
const flowsToWeigh = 2_000;
/** Shares of all events at which the flows are measured. */
const steps = [0.01, 0.1, 1 / 3, 1];

export interface GrowthStep {
  readonly events: number;
  /** Of the whole database. */
  readonly bytes: number;
  /** By `issuing`, `verifying`, `floor` and `list`. */
  readonly measured: Readonly<Record<'issuing' | 'verifying' | 'floor' | 'list', Measured>>;
}

export interface Growth {
  readonly steps: readonly GrowthStep[];
  /** Bytes on disk, with indexes and audit. */
  readonly perCredential: number;
  readonly perVerification: number;
  readonly fillPerSecond: number;
  readonly memory: Memory;
}

/** Both flows, a page of a filtered list, and the floor, which does not grow, while the store grows. */
export async function growth(postgres: TestPostgres, cpu: CpuMeter, plan: Plan, events: number): Promise<Growth> {
  const database = await postgres.createDatabase();
  const installation = install(database);
  const service = await contendingService(installation, plan);
  const floor = await contendingFloor(await postgres.createDatabase(), plan);
  const { issuing, verifying } = service;

  const weigh = async (flow: Flow): Promise<number> => {
    const before = await settledSize(database);
    await measure({ ...loadOf(service, flow, callers, {}), until: { times: flowsToWeigh } });
    return ((await settledSize(database)) - before) / flowsToWeigh;
  };
  const [perCredential, perVerification] = [await weigh(issuing), await weigh(verifying)];

  const until = { seconds: plan.seconds };
  const load = (of: Contender, flow: Flow): Load => ({
    ...loadOf(of, flow, callers, { postgres: cpu }),
    until,
  });
  const page = { method: 'GET', path: '/v0/credentials?limit=200&status=Issued' } as const;
  const loads = {
    issuing: load(service, issuing),
    verifying: load(service, verifying),
    floor: load(floor, floor.issuing),
    list: {
      callers: 1,
      until: { times: 50 },
      work: () => service.manage(clientAt(service.clients, 0), page),
      meters: { service: cpuOfProcess(service.process.pid), postgres: cpu },
    },
  };
  const measured: GrowthStep[] = [];
  let filled = 0;
  let seconds = 0;
  for (const step of steps) {
    const missing = Math.max(0, Math.round(events * step) - (await countEvents(database)));
    const begin = performance.now();
    await fillStore(installation, missing);
    seconds += (performance.now() - begin) / 1000;
    filled += missing;
    const bytes = await settledSize(database);
    measured.push({ events: await countEvents(database), bytes, measured: await turnByTurn(plan.rounds, loads) });
  }
  const memory = await memoryAfter(service, plan);
  await Promise.all([service.close(), floor.close()]);
  return { steps: measured, perCredential, perVerification, fillPerSecond: filled / seconds, memory };
}
