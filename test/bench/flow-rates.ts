import { cpuOfProcess, type CpuMeter, peakMemory } from './cpu';
import { HttpClient } from './http-client';
import { IssuingFlow } from './issuing-flow';
import { measure, type Measured, medianOf } from './load';
import { inFlight, type Plan } from './plan';
import { startEmptyService, startService } from './service-process';

export interface FlowRates {
  readonly inFlight: number;
  readonly flow: Measured;
  /** The floor: requests to an endpoint that does nothing. */
  readonly empty: Measured;
}

export interface FlowComparison {
  readonly rates: readonly FlowRates[];
  /** MiB */
  readonly peakMemory: number | undefined;
}

/** The issuing flow beside the empty endpoint, turn by turn, so that both meet the machine in the same mood. */
export async function compareFlow(database: string, postgres: CpuMeter, plan: Plan): Promise<FlowComparison> {
  const [service, empty] = [await startService(database), await startEmptyService()];
  const flowing = clientsOf(service.url);
  const idling = clientsOf(empty.url);
  const issuing = await IssuingFlow.prepare(clientAt(flowing, 0), service.url);
  const generator = cpuOfProcess(process.pid);

  const flow = (callers: number, until: { seconds: number } | { times: number }): Promise<Measured> =>
    measure({
      callers,
      until,
      work: (caller) => issuing.run(clientAt(flowing, caller)),
      meters: { service: cpuOfProcess(service.pid), postgres, generator },
    });
  const floor = (callers: number, seconds: number): Promise<Measured> =>
    measure({
      callers,
      until: { seconds },
      work: (caller) => clientAt(idling, caller).send({ method: 'GET', path: '/empty' }),
      meters: { service: cpuOfProcess(empty.pid), generator },
    });

  await flow(8, { times: plan.warmUpFlows });
  await floor(8, plan.emptySeconds);
  const results = inFlight.map((callers) => ({ callers, flow: [] as Measured[], empty: [] as Measured[] }));
  for (let round = 0; round < plan.rounds; round++) {
    for (const result of results) {
      result.flow.push(await flow(result.callers, { seconds: plan.flowSeconds }));
      result.empty.push(await floor(result.callers, plan.emptySeconds));
    }
  }
  const peak = peakMemory(service.pid);
  await Promise.all([...flowing, ...idling].map((client) => client.close()));
  await Promise.all([service.stop(), empty.stop()]);
  return {
    rates: results.map(({ callers, flow, empty }) => ({
      inFlight: callers,
      flow: medianOf(flow),
      empty: medianOf(empty),
    })),
    peakMemory: peak,
  };
}

export function clientsOf(url: string): HttpClient[] {
  return Array.from({ length: Math.max(...inFlight) }, () => new HttpClient(url));
}

export function clientAt(clients: readonly HttpClient[], index: number): HttpClient {
  const client = clients[index];
  if (!client) throw new Error(`There is no client ${index}.`);
  return client;
}
