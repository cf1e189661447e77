import type { TestPostgres } from '../support/database/postgres';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { clientAt, clientsOf } from './flow-rates';
import { IssuingFlow } from './issuing-flow';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { startService } from './service-process';
import { copyOffers } from './stored-offers';

export interface FillCost {
  readonly storedOffers: number;
  readonly measured: Measured;
}

export interface FillCosts {
  readonly few: FillCost;
  readonly many: FillCost;
}

const callers = 8;

/** The same flows against a small and a large store, turn by turn: each store with a service of its own. */
export async function compareFills(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<FillCosts> {
  const few = await openStore(postgres, cpu, plan.fills.few, plan);
  const many = await openStore(postgres, cpu, plan.fills.many, plan);
  // The small store's service had nothing to do while the large store was filled.
  for (const { load } of [few, many]) await measure({ ...load, until: { times: 200 } });
  const measured = await turnByTurn(plan.rounds, { few: few.load, many: many.load });
  await few.stop();
  await many.stop();
  return {
    few: { storedOffers: plan.fills.few, measured: measured.few },
    many: { storedOffers: plan.fills.many, measured: measured.many },
  };
}

async function openStore(postgres: TestPostgres, cpu: CpuMeter, storedOffers: number, plan: Plan) {
  const database = await postgres.createDatabase();
  const service = await startService({ database });
  const clients = clientsOf(service.url);
  const issuing = await IssuingFlow.prepare(clientAt(clients, 0), service.url);
  const load: Load = {
    callers,
    until: { times: plan.flowsPerFill },
    work: (caller) => issuing.run(clientAt(clients, caller)),
    meters: { service: cpuOfProcess(service.pid), postgres: cpu },
  };
  // Warmed up before it is filled: the copies need a sample, and plans must not have been made for empty tables only.
  await measure({ ...load, until: { times: plan.warmUpFlows } });
  await copyOffers(database, storedOffers - plan.warmUpFlows);
  return {
    load,
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await service.stop();
    },
  };
}
