import type { TestPostgres } from '../support/database/postgres';
import { loadOf, newService, type ServiceContender } from './contenders';
import type { CpuMeter } from './cpu';
import type { FlowName } from './flow-rates';
import { type Load, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';

const callers = 8;
/** Parts of a round: differences of a few percent show only when both builds run under the same conditions. */
const turns = 4;

export type BuildCosts = Readonly<Record<string, Measured>>;

/** Both flows by this build and by the one of another checkout, alternating, each with a database of its own. */
export async function buildCosts(
  postgres: TestPostgres,
  cpu: CpuMeter,
  { before, plan }: { readonly before: string; readonly plan: Plan },
): Promise<BuildCosts> {
  const first = await newService(await postgres.createDatabase(), plan, before);
  const second = await newService(await postgres.createDatabase(), plan);
  const load = (build: ServiceContender, name: Exclude<FlowName, 'authorizing'>): Load => ({
    ...loadOf(build, build[name], callers, { postgres: cpu }),
    until: { seconds: plan.seconds / turns },
  });
  const costs = await turnByTurn(
    { ...plan, rounds: plan.rounds * turns },
    {
      'issuing before': load(first, 'issuing'),
      'issuing now': load(second, 'issuing'),
      'verifying before': load(first, 'verifying'),
      'verifying now': load(second, 'verifying'),
    },
  );
  await Promise.all([first.close(), second.close()]);
  return costs;
}
