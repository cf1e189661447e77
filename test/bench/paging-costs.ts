import { performance } from 'node:perf_hooks';
import { newHolder } from '../support/wallets/key-proofs';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { HttpClient } from './http-client';
import { IssuingFlow } from './issuing-flow';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { startService } from './service-process';
import { handIn, publishTemplates, settle, type Templates } from './stored-credentials';

const pageSize = 200;
const pagesPerFilter = 200;
/** Issued before all others were stored, so that a list by creation has them at its far end. */
const issued = 20;

export interface FilterCost {
  readonly name: string;
  readonly few: Measured;
  readonly many: Measured;
}

export interface PagingCosts {
  readonly few: number;
  readonly many: number;
  readonly pages: number;
  /** Credentials per second, by batches of a thousand. */
  readonly handedIn: number;
  readonly first: Measured;
  readonly middle: Measured;
  readonly last: Measured;
  readonly filters: readonly FilterCost[];
}

/** Submits many credentials, pages through all of them, and requests filtered pages before and after. */
export async function pagingCosts(database: string, postgres: CpuMeter, plan: Plan): Promise<PagingCosts> {
  const { few, many } = plan.fills;
  const service = await startService({ database });
  const client = new HttpClient(service.url);
  const meters = { service: cpuOfProcess(service.pid), postgres };
  const flow = await IssuingFlow.prepare(client, service.url);
  for (let count = 0; count < issued; count++) await flow.issue(client, newHolder());
  const templates = await publishTemplates(client);
  const filters = filtersOf(templates);

  await handIn(client, templates, issued, few);
  await settle(database);
  const ofFew = await filteredPages(client, filters, meters, plan);
  const begin = performance.now();
  await handIn(client, templates, few, many);
  const handedIn = ((many - few) * 1000) / (performance.now() - begin);
  await settle(database);
  const tenths = await allPages(client, many, meters, plan);
  const ofMany = await filteredPages(client, filters, meters, plan);
  await client.close();
  await service.stop();
  return {
    ...{ few, many, handedIn, pages: many / pageSize },
    ...{ first: at(tenths, 'tenth 1'), middle: at(tenths, 'tenth 5'), last: at(tenths, 'tenth 10') },
    filters: Object.keys(filters).map((name) => ({ name, few: at(ofFew, name), many: at(ofMany, name) })),
  };
}

type Meters = Readonly<Record<string, CpuMeter>>;
type Figures = Readonly<Record<string, Measured>>;

function filtersOf({ common, rare }: Templates): Record<string, string> {
  return {
    'no filter': '',
    '`offerId`': '&offerId=offer-500',
    '`templateId` of nearly all': `&templateId=${common}`,
    '`templateId` of 10, the oldest': `&templateId=${rare}`,
    '`status` of nearly all': '&status=Prepared',
    '`status` of 20, the oldest': '&status=Issued',
    '`status` of none': '&status=Refused',
    'both, of nearly all': `&templateId=${common}&status=Prepared`,
    'both, of none': `&templateId=${common}&status=Issued`,
  };
}

/** One page of each kind again and again. */
async function filteredPages(
  client: HttpClient,
  filters: Readonly<Record<string, string>>,
  meters: Meters,
  { rounds }: Plan,
): Promise<Figures> {
  const loads = Object.entries(filters).map(([name, query]): [string, Load] => {
    const path = `/v0/credentials?limit=${pageSize}${query}`;
    const work = () => client.send({ method: 'GET', path });
    return [name, { callers: 1, until: { times: pagesPerFilter }, work, meters }];
  });
  for (const [, load] of loads) await measure({ ...load, until: { times: 10 } });
  return turnByTurn(rounds, Object.fromEntries(loads));
}

/** From the newest credential to the oldest and again from the beginning, measured by tenths of the way. */
async function allPages(client: HttpClient, credentials: number, meters: Meters, { rounds }: Plan): Promise<Figures> {
  let cursor: string | null = null;
  let seen = new Set<string>();
  const work = async (): Promise<void> => {
    const from = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await client.send({ method: 'GET', path: `/v0/credentials?limit=${pageSize}${from}` });
    const { items, nextCursor } = JSON.parse(page) as { items: { credentialId: string }[]; nextCursor: string | null };
    for (const { credentialId } of items) seen.add(credentialId);
    cursor = nextCursor;
    if (cursor !== null) return;
    if (seen.size !== credentials) throw new Error(`The pages held ${seen.size} of ${credentials} credentials.`);
    seen = new Set();
  };
  const times = credentials / pageSize / 10;
  const tenth = (): Load => ({ callers: 1, until: { times }, work, meters });
  const loads = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`tenth ${index + 1}`, tenth()]));
  // Once through everything, so that the first round meets the same caches as the others.
  await measure({ ...tenth(), until: { times: times * 10 } });
  return turnByTurn(rounds, loads);
}

function at(figures: Figures, name: string): Measured {
  const found = figures[name];
  if (!found) throw new Error(`Nothing was measured as ${name}.`);
  return found;
}
