import { type Contender, contendingFloor, loadOf, memoryAfter, type Memory, newService } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { floorNodes } from './floors';
import { type Load, measure, type Measured, type Rounds, turnByTurn } from './load';
import { mostInFlight, type Plan } from './plan';
import type { TestPostgres } from '../support/database/postgres';

export type FlowName = 'issuing' | 'authorizing' | 'verifying' | 'metadata';

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

/** The service and its floors. */
export async function contendersOf(postgres: TestPostgres, plan: Plan): Promise<Map<string, Contender>> {
  const contenders = new Map<string, Contender>([[service, await newService(await postgres.createDatabase(), plan)]]);
  for (const { name, node } of floorNodes())
    contenders.set(name, await contendingFloor(await postgres.createDatabase(), plan, node));
  return contenders;
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
    for (const flow of ['issuing', 'authorizing', 'verifying', 'metadata'] as const) {
      // One document at a time says nothing that many do not.
      if (flow === 'metadata' && callers !== mostInFlight) continue;
      const loads = [...contenders].flatMap(([name, contender]): [string, Load][] => {
        const run = contender[flow];
        const meters = contender.isDurable ? { postgres, generator } : { generator };
        return run ? [[name, { ...loadOf(contender, run, callers, meters), until }]] : [];
      });
      const measured = await turnByTurn<string>(about(flow, plan), Object.fromEntries(loads));
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

function about(flow: FlowName, { rounds, others, note, refused }: Rounds): Rounds {
  const named = (say: (line: string) => void) => (line: string) => {
    say(`${flow}, ${line}`);
  };
  return { rounds, others, note: named(note), refused: named(refused) };
}
