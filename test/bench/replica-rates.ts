import { cpuOfProcess, type CpuMeter } from './cpu';
import { clientAt, clientsOf } from './flow-rates';
import { HttpClient, type Sender } from './http-client';
import { IssuingFlow } from './issuing-flow';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { type ServiceProcess, startService } from './service-process';

export interface ReplicaRates {
  readonly replicas: number;
  readonly measured: Measured;
}

const callers = 32;

/** A load balancer in the client: each request goes to the next replica, so that every flow crosses all of them. */
class RoundRobin implements Sender {
  private turn = 0;

  constructor(private readonly clients: readonly HttpClient[]) {}

  send(exchange: Parameters<Sender['send']>[0]): Promise<string> {
    return clientAt(this.clients, this.turn++ % this.clients.length).send(exchange);
  }
}

/** The issuing flow over one and more replicas on one database, turn by turn. The other replicas stay idle. */
export async function compareReplicas(database: string, postgres: CpuMeter, plan: Plan): Promise<ReplicaRates[]> {
  const replicas = await startReplicas(database, Math.max(...plan.replicas));
  const clients = replicas.map(({ url }) => clientsOf(url));
  const publicUrl = replicas[0]?.url ?? '';
  const issuing = await IssuingFlow.prepare(clientAt(clients[0] ?? [], 0), publicUrl);
  const generator = cpuOfProcess(process.pid);
  const service = togetherOf(replicas.map(({ pid }) => cpuOfProcess(pid)));

  const load = (count: number): Load => {
    const balanced = Array.from(
      { length: callers },
      (_, caller) => new RoundRobin(clients.slice(0, count).map((own) => clientAt(own, caller))),
    );
    return {
      callers,
      until: { seconds: plan.flowSeconds },
      work: (caller) => issuing.run(balanced[caller] ?? fail(caller)),
      meters: { service, postgres, generator },
    };
  };
  const loads = Object.fromEntries(plan.replicas.map((count) => [String(count), load(count)]));
  await measure({ ...load(replicas.length), until: { times: plan.warmUpFlows * replicas.length } });
  const measured = await turnByTurn<string>(plan.rounds, loads);
  await Promise.all(clients.flat().map((client) => client.close()));
  await Promise.all(replicas.map((replica) => replica.stop()));
  return Object.entries(measured).map(([count, figures]) => ({ replicas: Number(count), measured: figures }));
}

/** One after the other: the first makes tables and keys. All have the public URL of the first. */
async function startReplicas(database: string, count: number): Promise<ServiceProcess[]> {
  const first = await startService({ database });
  const others: ServiceProcess[] = [];
  while (others.length < count - 1) others.push(await startService({ database, publicUrl: first.url }));
  return [first, ...others];
}

function togetherOf(meters: readonly CpuMeter[]): CpuMeter {
  return () => {
    const seconds = meters.map((meter) => meter());
    return seconds.includes(undefined) ? undefined : seconds.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  };
}

function fail(caller: number): never {
  throw new Error(`There is no caller ${caller}.`);
}
