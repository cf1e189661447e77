import { setTimeout as delay } from 'node:timers/promises';
import type { TestPostgres } from '../support/database/postgres';
import { clientAt, contendingService, memoryAfter, type Memory } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { fillStore } from './filled-store';
import type { Exchange, Sender } from './http-client';
import { type Load, type Measured, percentile, turnByTurn } from './load';
import type { Plan } from './plan';
import { install } from './service-process';

/** Clients of each kind at the same time. */
const clients = { issuing: 16, verifying: 8, lists: 4 };
/** Milliseconds for which a person looks at a page. */
const pause = 50;
const storedEvents = 100_000;

export interface Latency {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Mixed {
  /** Flows without and with lists. */
  readonly measured: Readonly<Record<'alone' | 'together', Measured>>;
  /** By kind of request. */
  readonly latencies: Readonly<Record<'alone' | 'together', ReadonlyMap<string, Latency>>>;
  readonly memory: Memory;
}

/** Both flows, with and without clients that read lists and results meanwhile, turn by turn. */
export async function mixed(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<Mixed> {
  const installation = install(await postgres.createDatabase());
  const service = await contendingService(installation, plan);
  const { issuing, verifying, manage } = service;
  await fillStore(installation, storedEvents);

  const timings = { alone: new Timings(), together: new Timings() };
  const meters = { service: cpuOfProcess(service.process.pid), postgres: cpu };
  const flows = clients.issuing + clients.verifying;
  const load = (timed: Timings): Load => ({
    callers: flows,
    until: { seconds: plan.seconds },
    meters,
    work: (caller) => {
      const client = timed.over(clientAt(service.clients, caller));
      return (caller < clients.issuing ? issuing : verifying).run(client);
    },
  });
  const together = load(timings.together);
  const read = async (caller: number): Promise<void> => {
    const client = timings.together.over(clientAt(service.clients, caller));
    for (const path of pages) await manage(client, { method: 'GET', path });
    const requests = await manage(client, {
      method: 'GET',
      path: '/v0/authorization_requests?status=verified&limit=5',
    });
    for (const { state } of (JSON.parse(requests) as { items: { state: string }[] }).items) {
      await manage(client, { method: 'GET', path: `/v0/authorization_requests/${state}` });
    }
    await delay(pause);
  };
  const measured = await turnByTurn(plan, {
    alone: load(timings.alone),
    together: {
      ...together,
      beside: { callers: clients.lists, work: (caller) => read(flows + caller) },
    },
  });
  const memory = await memoryAfter(service, plan);
  await service.close();
  return {
    measured,
    latencies: { alone: timings.alone.latencies(), together: timings.together.latencies() },
    memory,
  };
}

const pages = [
  '/v0/credentials?limit=200',
  '/v0/credentials?limit=200&status=Issued',
  '/v0/credentials?limit=200&status=Refused',
  '/v0/offers?limit=200&state=Redeemed',
  '/v0/offers?limit=200&state=Online',
];

/** How long requests took, by kind. */
class Timings {
  private readonly taken = new Map<string, number[]>();

  over(client: Sender): Sender {
    return {
      send: async (exchange) => {
        const begin = performance.now();
        const answer = await client.send(exchange);
        const kind = kindOf(exchange);
        const taken = this.taken.get(kind);
        if (taken) taken.push(performance.now() - begin);
        else this.taken.set(kind, [performance.now() - begin]);
        return answer;
      },
    };
  }

  latencies(): ReadonlyMap<string, Latency> {
    return new Map(
      [...this.taken].sort().map(([kind, taken]) => {
        taken.sort((a, b) => a - b);
        return [kind, { requests: taken.length, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) }];
      }),
    );
  }
}

/** The method and the path without what is different each time. */
function kindOf({ method, path }: Exchange): string {
  const [address = '', query] = path.split('?');
  const named = address.replace(/\/[\w-]{32,}(?=\/|$)/g, '/:id');
  return `${method} ${named}${query === undefined ? '' : ' (list)'}`;
}
