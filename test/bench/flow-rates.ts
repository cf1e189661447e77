import { type Contender, contendingFloor, loadOf, memoryAfter, type Memory, newService } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import type { TestPostgres } from '../support/database/postgres';

export type FlowName = 'issuing' | 'authorizing' | 'verifying';

export interface FlowRate {
  readonly flow: FlowName;
  readonly inFlight: number;
  /** By contender. */
  readonly measured: ReadonlyMap<string, Measured>;
}

export interface FlowRates {
  readonly rates: readonly FlowRate[];
  readonly memory: ReadonlyMap<string, Memory>;
}

export const service = 'Sealwright';
export const floor = 'floor';

/** The service and its floor. */
export async function contendersOf(postgres: TestPostgres, plan: Plan): Promise<Map<string, Contender>> {
  return new Map([
    [service, await newService(await postgres.createDatabase(), plan)],
    [floor, await contendingFloor(await postgres.createDatabase(), plan)],
  ]);
}

/** All flows of all contenders turn by turn, so that all of them run under the same conditions. */
export async function compare(
  contenders: ReadonlyMap<string, Contender>,
  postgres: CpuMeter,
  plan: Plan,
  steps: readonly number[],
): Promise<FlowRates> {
  const generator = cpuOfProcess(process.pid);
  const until = { seconds: plan.seconds };
  const rates: FlowRate[] = [];
  for (const contender of contenders.values()) {
    const { authorizing } = contender;
    if (authorizing) await measure({ ...loadOf(contender, authorizing, 8, {}), until: { times: plan.warmUpFlows } });
  }
  for (const callers of steps) {
    for (const flow of ['issuing', 'authorizing', 'verifying'] as const) {
      const loads = [...contenders].flatMap(([name, contender]): [string, Load][] => {
        const run = contender[flow];
        const meters = contender.isDurable ? { postgres, generator } : { generator };
        return run ? [[name, { ...loadOf(contender, run, callers, meters), until }]] : [];
      });
      const measured = await turnByTurn<string>(plan.rounds, Object.fromEntries(loads));
      rates.push({ flow, inFlight: callers, measured: new Map(Object.entries(measured)) });
    }
  }
  const memory = new Map<string, Memory>();
  // The time without requests is the same for all.
  await Promise.all(
    [...contenders].map(async ([name, contender]) => memory.set(name, await memoryAfter(contender, plan))),
  );
  await Promise.all([...contenders.values()].map((contender) => contender.close()));
  return { rates, memory };
}
