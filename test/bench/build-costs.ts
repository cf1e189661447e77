import { cpuOfProcess, type CpuMeter } from './cpu';
import { clientAt, clientsOf } from './flow-rates';
import type { Flow } from './flow';
import { IssuingFlow } from './issuing-flow';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { startService } from './service-process';
import { VerifyingFlow } from './verifying-flow';
import type { TestPostgres } from '../support/database/postgres';

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
  const builds = [await prepare(postgres, before), await prepare(postgres, undefined)] as const;
  const load = ({ clients, service }: Build, flow: Flow): Load => ({
    callers,
    until: { seconds: plan.flowSeconds / turns },
    work: (caller) => flow.run(clientAt(clients, caller)),
    meters: { service: cpuOfProcess(service.pid), postgres: cpu },
  });
  const [first, second] = builds;
  for (const build of builds) {
    for (const flow of [build.issuing, build.verifying]) {
      await measure({ ...load(build, flow), until: { times: plan.warmUpFlows } });
    }
  }
  const costs = await turnByTurn(plan.rounds * turns, {
    'issuing before': load(first, first.issuing),
    'issuing now': load(second, second.issuing),
    'verifying before': load(first, first.verifying),
    'verifying now': load(second, second.verifying),
  });
  for (const { clients, service } of builds) {
    await Promise.all(clients.map((client) => client.close()));
    await service.stop();
  }
  return costs;
}

type Build = Awaited<ReturnType<typeof prepare>>;

async function prepare(postgres: TestPostgres, directory: string | undefined) {
  const service = await startService({ database: await postgres.createDatabase(), directory });
  const clients = clientsOf(service.url);
  const issuing = await IssuingFlow.prepare(clientAt(clients, 0), service.url);
  const verifying = await VerifyingFlow.prepare(clients, issuing);
  return { service, clients, issuing, verifying };
}
