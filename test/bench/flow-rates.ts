import { cpuOfProcess, type CpuMeter, peakMemory } from './cpu';
import type { Flow } from './flow';
import { HttpClient } from './http-client';
import { IssuingFlow } from './issuing-flow';
import { type Load, measure, type Measured, turnByTurn } from './load';
import { inFlight, type Plan } from './plan';
import { startEmptyService, startService } from './service-process';
import { VerifyingFlow } from './verifying-flow';

export interface FlowRates {
  readonly inFlight: number;
  readonly measured: Measured;
  /** The baseline: requests to an endpoint that does nothing. */
  readonly empty: Measured;
}

export interface FlowComparison {
  readonly flow: Flow;
  readonly rates: readonly FlowRates[];
}

export interface FlowComparisons {
  readonly issuing: FlowComparison;
  readonly verifying: FlowComparison;
  /** MiB */
  readonly peakMemory: number | undefined;
}

/** Both flows and the empty endpoint, alternating, so that all three run under the same conditions. */
export async function compareFlows(database: string, postgres: CpuMeter, plan: Plan): Promise<FlowComparisons> {
  const [service, empty] = [await startService({ database }), await startEmptyService()];
  const flowing = clientsOf(service.url);
  const idling = clientsOf(empty.url);
  const issuing = await IssuingFlow.prepare(clientAt(flowing, 0), service.url);
  const verifying = await VerifyingFlow.prepare(flowing, issuing);
  const generator = cpuOfProcess(process.pid);

  const load = (flow: Flow, callers: number): Load => ({
    callers,
    until: { seconds: plan.flowSeconds },
    work: (caller) => flow.run(clientAt(flowing, caller)),
    meters: { service: cpuOfProcess(service.pid), postgres, generator },
  });
  const floor = (callers: number): Load => ({
    callers,
    until: { seconds: plan.emptySeconds },
    work: (caller) => clientAt(idling, caller).send({ method: 'GET', path: '/empty' }),
    meters: { service: cpuOfProcess(empty.pid), generator },
  });

  for (const flow of [issuing, verifying]) await measure({ ...load(flow, 8), until: { times: plan.warmUpFlows } });
  await measure(floor(8));
  const rates = [];
  for (const callers of inFlight) {
    const loads = { issuing: load(issuing, callers), verifying: load(verifying, callers), empty: floor(callers) };
    rates.push({ inFlight: callers, ...(await turnByTurn(plan.rounds, loads)) });
  }
  const peak = peakMemory(service.pid);
  await Promise.all([...flowing, ...idling].map((client) => client.close()));
  await Promise.all([service.stop(), empty.stop()]);
  return {
    issuing: { flow: issuing, rates: rates.map(({ issuing, ...rest }) => ({ ...rest, measured: issuing })) },
    verifying: { flow: verifying, rates: rates.map(({ verifying, ...rest }) => ({ ...rest, measured: verifying })) },
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
