import type { TestPostgres } from '../support/postgres';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { clientAt, clientsOf } from './flow-rates';
import { IssuingFlow } from './issuing-flow';
import { measure, type Measured, medianOf } from './load';
import type { Plan } from './plan';
import { startService } from './service-process';
import { copyOffers } from './stored-offers';

export interface FillCost {
  readonly storedOffers: number;
  readonly flow: Measured;
}

const callers = 8;

/** The same flows against a small and a large store, turn by turn: each store with a service of its own. */
export async function compareFills(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<FillCost[]> {
  const stores = [];
  for (const storedOffers of plan.fills) stores.push(await openStore(postgres, cpu, storedOffers, plan));
  for (let round = 0; round < plan.rounds; round++) {
    for (const store of stores) store.rounds.push(await store.run(plan.flowsPerFill));
  }
  for (const store of stores) await store.stop();
  return stores.map(({ storedOffers, rounds }) => ({ storedOffers, flow: medianOf(rounds) }));
}

async function openStore(postgres: TestPostgres, cpu: CpuMeter, storedOffers: number, plan: Plan) {
  const database = await postgres.createDatabase();
  const service = await startService(database);
  const clients = clientsOf(service.url);
  const issuing = await IssuingFlow.prepare(clientAt(clients, 0), service.url);
  const run = (times: number): Promise<Measured> =>
    measure({
      callers,
      until: { times },
      work: (caller) => issuing.run(clientAt(clients, caller)),
      meters: { service: cpuOfProcess(service.pid), postgres: cpu },
    });
  // Warmed up before it is filled: the copies need a sample, and plans must not have been made for empty tables only.
  await run(Math.min(plan.warmUpFlows, storedOffers / 2));
  await copyOffers(database, storedOffers - Math.min(plan.warmUpFlows, storedOffers / 2));
  await run(100);
  return {
    storedOffers,
    rounds: [] as Measured[],
    run,
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await service.stop();
    },
  };
}
