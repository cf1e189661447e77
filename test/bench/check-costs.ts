import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { TestPostgres } from '../support/database/postgres';
import { cpuOfProcess } from './cpu';
import { json } from './flow';
import { clientAt, clientsOf } from './flow-rates';
import { HttpClient } from './http-client';
import { claims, studentCard } from './issuing-flow';
import { measure, type Measured, medianOf } from './load';
import type { Plan } from './plan';
import { startService } from './service-process';

const callers = 8;
const batchItems = 40;
const largeSchemas = 5;
/** Rejected today; accepted by versions that did not detect how long it can take. */
const slowPattern = '^((a{1,9}){1,9}){1,9}$';
const slowClaims = { given_name: `${'a'.repeat(40)}!` };

/** The effect on other requests. Milliseconds. */
export interface Disturbance {
  /** The longest that `GET /livez` took meanwhile. */
  readonly longest: number;
  readonly took: number;
}

export interface CheckCosts {
  readonly idle: Disturbance;
  readonly batch: Disturbance;
  readonly largeSchema: Disturbance;
  /** `POST /v0/credentials` with a small schema, and with one that has a pattern. */
  readonly small: Measured;
  readonly pattern: Measured;
}

/**
 * What checks of claims cost, and their effect on others: this build and, with `BENCH_BEFORE=<directory>`, the build of
 * another checkout, turn by turn. By version: `now`, and `before`.
 */
export async function checkCosts(postgres: TestPostgres, plan: Plan): Promise<Readonly<Record<string, CheckCosts>>> {
  const before = process.env['BENCH_BEFORE'];
  const versions: Record<string, string | undefined> = { ...(before !== undefined && { before }), now: undefined };
  const rounds = Object.keys(versions).map((name) => ({ name, results: [] as CheckCosts[] }));
  for (let round = 0; round < plan.rounds; round++) {
    for (const { name, results } of rounds) {
      results.push(await measureVersion(await postgres.createDatabase(), versions[name]));
    }
  }
  return Object.fromEntries(rounds.map(({ name, results }) => [name, summary(results)]));
}

async function measureVersion(database: string, directory: string | undefined): Promise<CheckCosts> {
  const service = await startService({ database, directory });
  const clients = clientsOf(service.url);
  const client = clientAt(clients, 0);
  const probe = new HttpClient(service.url);
  const small = await publish(client, studentCard);
  const pattern = await publish(client, withPattern('^[A-Z][a-z]+$'));
  const slow = await publish(client, withPattern('^a+$'));
  await rewriteSchema(database, slow, withPattern(slowPattern).schema);

  const prepare = (templateId: string) => (caller: number) =>
    clientAt(clients, caller).send({ method: 'POST', path: '/v0/credentials', ...json(item(templateId, claims)) });
  const load = (templateId: string, times: number) => ({
    callers,
    until: { times },
    work: prepare(templateId),
    meters: { service: cpuOfProcess(service.pid) },
  });
  for (const templateId of [small, pattern]) await measure(load(templateId, 500));
  const costs = { small: await measure(load(small, 2000)), pattern: await measure(load(pattern, 2000)) };

  const idle = await disturbanceBy(probe, () => delay(2000));
  const largeSchema = await disturbanceBy(probe, async () => {
    for (let index = 0; index < largeSchemas; index++) await publish(client, { ...studentCard, schema: large(index) });
  });
  const credentials = Array.from({ length: batchItems }, () => item(slow, slowClaims));
  const batch = await disturbanceBy(probe, () =>
    client.send({ method: 'POST', path: '/v0/credentials/batch', ...json({ credentials }) }),
  );
  await Promise.all([probe, ...clients].map((one) => one.close()));
  await service.stop();
  return { ...costs, idle, largeSchema, batch };
}

/** Requests `/livez` repeatedly until the work is done. */
async function disturbanceBy(probe: HttpClient, work: () => Promise<unknown>): Promise<Disturbance> {
  const begin = performance.now();
  const state = { isOver: false };
  const done = work().finally(() => (state.isOver = true));
  let longest = 0;
  while (!state.isOver) {
    const asked = performance.now();
    await probe.send({ method: 'GET', path: '/livez' });
    longest = Math.max(longest, performance.now() - asked);
    await delay(2);
  }
  await done;
  return { longest, took: performance.now() - begin };
}

let offers = 0;

function item(templateId: string, credentialSubject: object): object {
  return { offerId: `checked-${process.pid}-${offers++}`, templateId, credential: { credentialSubject } };
}

function withPattern(pattern: string) {
  const properties = { ...studentCard.schema.properties, given_name: { type: 'string', pattern } };
  return { ...studentCard, schema: { type: 'object', properties } };
}

/** Different from any that was compiled before. */
function large(index: number): object {
  const names = Array.from({ length: 500 }, (_, place) => `claim_${index}_${place}`);
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
}

async function publish(client: HttpClient, template: object): Promise<string> {
  const created = await client.send({ method: 'POST', path: '/v0/templates', ...json(template) });
  return (JSON.parse(created) as { templateId: string }).templateId;
}

async function rewriteSchema(database: string, templateId: string, schema: object): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(
    `update streams set state = jsonb_set(state, '{content,schema}', $2::text::jsonb) where stream_id = $1`,
    [`template-${templateId}`, JSON.stringify(schema)],
  );
  await client.end();
}

function summary(rounds: readonly CheckCosts[]): CheckCosts {
  return {
    idle: worstOf(rounds.map(({ idle }) => idle)),
    batch: worstOf(rounds.map(({ batch }) => batch)),
    largeSchema: worstOf(rounds.map(({ largeSchema }) => largeSchema)),
    small: medianOf(rounds.map(({ small }) => small)),
    pattern: medianOf(rounds.map(({ pattern }) => pattern)),
  };
}

function worstOf(rounds: readonly Disturbance[]): Disturbance {
  return {
    longest: Math.max(...rounds.map(({ longest }) => longest)),
    took: Math.max(...rounds.map(({ took }) => took)),
  };
}
