import { clientAt, type Contender, contendingService } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import type { HttpClient, Sender } from './http-client';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { install } from './service-process';

export interface ReplicaRates {
  readonly replicas: number;
  readonly measured: Measured;
}

const callers = 32;
/** Service processes on one database, compared with each other. */
const counts = [1, 2, 3];

/** A load balancer in the client: each request goes to the next replica, so that every flow crosses all of them. */
export class RoundRobin implements Sender {
  private turn = 0;

  constructor(private readonly clients: readonly HttpClient[]) {}

  send(exchange: Parameters<Sender['send']>[0]): Promise<string> {
    return clientAt(this.clients, this.turn++ % this.clients.length).send(exchange);
  }
}

/** The issuing flow over one and more replicas on one database, turn by turn. The other replicas stay idle. */
export async function compareReplicas(database: string, postgres: CpuMeter, plan: Plan): Promise<ReplicaRates[]> {
  const installation = install(database);
  const replicas: Contender[] = [];
  // One after the other: the first makes keys.
  for (const _ of counts) replicas.push(await contendingService(installation, plan));
  const [first] = replicas;
  if (!first) throw new Error('There is no replica.');
  const generator = cpuOfProcess(process.pid);
  const service = togetherOf(replicas.map((replica) => cpuOfProcess(replica.process.pid)));

  const load = (count: number): Load => {
    const balanced = Array.from(
      { length: callers },
      (_, caller) => new RoundRobin(replicas.slice(0, count).map(({ clients }) => clientAt(clients, caller))),
    );
    return {
      callers,
      until: { seconds: plan.seconds },
      work: (caller) => first.issuing.run(balanced[caller] ?? fail(caller)),
      meters: { service, postgres, generator },
    };
  };
  const loads = Object.fromEntries(counts.map((count) => [String(count), load(count)]));
  await measure({ ...load(replicas.length), until: { times: plan.warmUpFlows } });
  const measured = await turnByTurn<string>(plan, loads);
  await Promise.all(replicas.map((replica) => replica.close()));
  return Object.entries(measured).map(([count, figures]) => ({ replicas: Number(count), measured: figures }));
}

export function togetherOf(meters: readonly CpuMeter[]): CpuMeter {
  return () => {
    const seconds = meters.map((meter) => meter());
    return seconds.includes(undefined) ? undefined : seconds.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  };
}

function fail(caller: number): never {
  throw new Error(`There is no caller ${caller}.`);
}
