import { setTimeout as delay } from 'node:timers/promises';
import type { TestPostgres } from '../support/database/postgres';
import { freePort } from '../support/service/service';
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
import { fasterFloor, floorNodes } from './floors';
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
  readonly measured: Readonly<Record<'issuing' | 'verifying' | 'list', Measured>>;
  readonly floor: Measured | undefined;
}

export interface Growth {
  readonly steps: readonly GrowthStep[];
  /** Bytes on disk, with indexes and audit. */
  readonly perCredential: number;
  readonly perVerification: number;
  readonly fillPerSecond: number;
  readonly memory: Memory;
}

/** Milliseconds. */
const longestWait = 15 * 60_000;

/** Both flows, a page of a filtered list, and the floor, which does not grow, while the store grows. */
export async function growth(postgres: TestPostgres, cpu: CpuMeter, plan: Plan, events: number): Promise<Growth> {
  const database = await postgres.createDatabase();
  const metrics = await freePort();
  const installation = install(database);
  const watched = { SERVICE__METRICS__ENABLED: 'true', SERVICE__METRICS__PORT: String(metrics) };
  const service = await contendingService(
    { ...installation, settings: { ...installation.settings, ...watched } },
    plan,
  );
  const floors = new Map<string, Contender>();
  for (const { name, node } of floorNodes())
    floors.set(name, await contendingFloor(await postgres.createDatabase(), plan, node));
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
  const ofFloors = Object.fromEntries([...floors].map(([name, floor]) => [name, load(floor, floor.issuing)] as const));
  const loads = {
    issuing: load(service, issuing),
    verifying: load(service, verifying),
    ...ofFloors,
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
    await caughtUp(metrics, plan);
    const bytes = await settledSize(database);
    const { issuing, verifying, list, ...ofFloors } = await turnByTurn<keyof typeof loads>(plan, loads);
    measured.push({
      ...{ events: await countEvents(database), bytes, measured: { issuing, verifying, list } },
      floor: fasterFloor(new Map(Object.entries(ofFloors))),
    });
  }
  const memory = await memoryAfter(service, plan);
  await Promise.all([service, ...floors.values()].map((one) => one.close()));
  return { steps: measured, perCredential, perVerification, fillPerSecond: filled / seconds, memory };
}

/** Ends when no reader of events and no erasure is behind: what is measured next is not their work. */
async function caughtUp(metricsPort: number, { note }: Plan): Promise<void> {
  const begin = performance.now();
  for (;;) {
    const behind = lagging(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
    const waited = performance.now() - begin;
    if (behind.length === 0) {
      note(`All readers of events and erasures have caught up, after ${(waited / 1000).toFixed(0)} s.`);
      return;
    }
    if (waited > longestWait)
      throw new Error(`Still behind after ${longestWait / 60_000} minutes: ${behind.join(', ')}`);
    await delay(1000);
  }
}

/** What of the background is not at the end of the store. @param metrics as Prometheus reads them */
export function lagging(metrics: string): string[] {
  const seconds = [
    ...metrics.matchAll(/^sealwright_(subscription_lag|erasure_overdue)_seconds(?:\{subscription="(.*)"\})? (\S+)$/gm),
  ];
  const lags = seconds.map(([, kind = '', name = kind, figure]) => ({ name, figure: Number(figure) }));
  // A gauge that the service could not read has no value.
  const unread = ['checkpoints', 'erasure_overdue'].filter((name) => !lags.some((lag) => lag.name === name));
  return [...unread, ...lags.filter(({ figure }) => figure !== 0).map(({ name, figure }) => `${name} (${figure} s)`)];
}
