import { moveSteps } from '@app/tenants';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { program, type Ran, sealwright } from '../support/service/command-line';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { tokenStatus } from '../support/verifiers/status-readers';
import { receive } from '../support/wallets/wallet';

// Each test starts a dozen processes.
jest.setTimeout(600_000);

/** Deletions are looked for each minute: here each tenth of a second, in the thread of the background as well. */
const hurry = `const set = setInterval;
globalThis.setInterval = (work, every, ...more) => set(work, every === 60_000 ? 100 : every, ...more);`;

let directory: string;
let service: ServiceProcess;
let settings: Record<string, string>;
/** Of the first store and of the further one, in which the tenants live that are deleted. */
let clients: Readonly<Record<'first' | 'north', Client>>;
type Store = keyof typeof clients;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'killed-tenants-'));
  writeFileSync(join(directory, 'hurry.js'), hurry);
  const [database, north] = await Promise.all([1, 2].map(() => sharedPostgres().createDatabase()));
  mkdirSync(join(directory, 'stores'));
  writeFileSync(join(directory, 'stores', 'north'), String(north));
  settings = {
    SERVICE__PROFILE: 'development',
    SERVICE__TENANTS__REGRET_DAYS: '0',
    SERVICE__STORES__DIRECTORY: join(directory, 'stores'),
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: String(database),
  };
  await startAgain();
  clients = {
    first: new Client({ connectionString: database }),
    north: new Client({ connectionString: north }),
  };
  for (const client of Object.values(clients)) await client.connect();
}, 120_000);
afterAll(async () => {
  for (const client of Object.values(clients)) await client.end();
  await service.stop();
  rmSync(directory, { recursive: true });
});

/** At the address that it had: that is in what was issued. */
async function startAgain(url?: string): Promise<void> {
  const own = {
    ...settings,
    NODE_OPTIONS: `--require ${join(directory, 'hurry.js')}`,
    ...(url !== undefined && { SERVICE__HTTP__PORT: new URL(url).port }),
  };
  const started = await startServiceProcess(String(settings['SERVICE__EVENT_STORE__CONNECTION_STRING']), url, own);
  service = { ...started, url: url ?? started.url };
}

const run = (...parameters: string[]): Promise<Ran> => sealwright(parameters, settings);

async function areProven(moment = ''): Promise<void> {
  const verified = await Promise.all(['first', 'north'].map((store) => run('verify-store', '--store', store)));
  for (const { code, stdout, stderr } of verified)
    expect({ moment, code, stdout, stderr }).toMatchObject({ moment, code: 0 });
}

/** Has each such change of a row take a second. */
async function slow(client: Client, change: string, table: string, when: string): Promise<void> {
  await client.query(`create or replace function slow() returns trigger as $$
    begin perform pg_sleep(1); return coalesce(new, old); end $$ language plpgsql`);
  await client.query(
    `create trigger slow before ${change} on ${table} for each row when (${when}) execute function slow()`,
  );
}

/** Ends the service at once while it makes the change, and starts it again when the database is done. */
async function killedWhile(
  act: () => Promise<unknown>,
  store: Store,
  change: string,
  table: string,
  when: string,
): Promise<void> {
  const client = clients[store];
  await slow(client, change, table, when);
  const lost = act().catch(() => undefined);
  const sleeping = async (): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return rows[0]?.count ?? 0;
  };
  await eventually(async () => (await sleeping()) > 0, 30_000);
  service.signal('SIGKILL');
  await Promise.all([service.ended, lost]);
  await eventually(async () => (await sleeping()) === 0, 30_000);
  await client.query(`drop trigger slow on ${table}`);
  await startAgain(service.url);
}

const tenants = (): string => `${service.url}/v0/tenants`;
const at = (tenantId: string): string => `${service.url}/t/${tenantId}`;
const create = (tenantId: string, store: Store = 'first'): Promise<Json> =>
  postJson(tenants(), { tenantId, displayName: tenantId, store }).then((reply) => answered(201, reply));

async function credentialOf(tenantId: string): Promise<string> {
  const template = await publishedTemplate(at(tenantId), { revocable: true });
  const [credential = ''] = await receive((await prepareOffer(at(tenantId), [template])).link);
  return credential;
}

describe('a service that is killed', () => {
  it.each([
    ['event', 'insert', 'events', `new.type = 'TenantCreated'`],
    ['keys', 'insert', 'key_store', `new.purpose like 'signing~%'`],
    ['first API key', 'insert', 'api_keys', `new.tenant <> ''`],
  ])(
    'while it stores the %s of a new tenant leaves one that the same request finishes, or none',
    async (what, change, table, when) => {
      const tenantId = `made-${what.split(' ')[0] ?? ''}`;
      await killedWhile(() => create(tenantId, 'north'), 'first', change, table, when);
      expect((await create(tenantId, 'north'))['apiKey']).toMatch(/^swk_/);
      await expect(tokenStatus(await credentialOf(tenantId))).resolves.toBe(0);
      await areProven();
    },
  );

  it.each([
    ['begin', 'insert', 'events', `new.type = 'TenantDeletionBegun'`],
    ['close', 'insert', 'events', `new.type = 'TenantClosed'`],
    ['destroyed-key', 'update', 'key_store', `new.purpose like 'tenant~%'`],
    ['revoked-keys', 'update', 'api_keys', `new.tenant <> ''`],
    ['webhooks', 'delete', 'webhook_receivers', `old.tenant <> ''`],
    ['end', 'insert', 'events', `new.type = 'TenantDeleted'`],
  ])('while it deletes a tenant (%s) goes on to the end, or has not begun', async (what, change, table, when) => {
    const tenantId = `gone-${what}`;
    const { apiKey } = await create(tenantId, 'north');
    const credential = await credentialOf(tenantId);
    answered(201, await postJson(`${at(tenantId)}/v0/webhooks`, { url: 'http://127.0.0.1:9/events' }));
    const remove = (): Promise<unknown> =>
      send(`${tenants()}/${tenantId}?confirm=${tenantId}`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    const { rows } = await clients.first.query<{ mark: string }>(
      `select state->>'mark' as mark from streams where stream_id = 'tenant-${tenantId}'`,
    );
    const mark = rows[0]?.mark ?? '';
    const receivers = `select from webhook_receivers where tenant = '${mark}'`;
    await eventually(async () => (await clients.north.query(receivers)).rows.length > 0, 60_000);
    await killedWhile(remove, table === 'webhook_receivers' ? 'north' : 'first', change, table, when);
    const status = async (): Promise<unknown> => answered(200, await get(`${tenants()}/${tenantId}`))['status'];
    if ((await status()) === 'Active') await remove();
    await eventually(async () => (await status()) === 'Deleted', 120_000);
    const left = `select from key_store where purpose = 'tenant~${mark}' and sealed <> ''`;
    expect((await clients.first.query(left)).rows).toEqual([]);
    expect((await clients.north.query(receivers)).rows).toEqual([]);
    expect((await get(`${at(tenantId)}/v0/templates`, { authorization: `Bearer ${String(apiKey)}` })).status).toBe(401);
    await expect(tokenStatus(credential)).resolves.toBe(0);
    await areProven();
  });
});

describe('a move that is killed', () => {
  const tenant = 'moving';
  let held: string;
  let template: string;
  /** How long each step of a whole move takes here, the start of the command first. */
  const pauses: number[] = [];
  beforeAll(async () => {
    await create(tenant);
    template = await publishedTemplate(at(tenant), { templateId: 'card', revocable: true });
    [held = ''] = await receive((await prepareOffer(at(tenant), [template])).link);
    expect(await moved('north', Infinity, 0, pauses)).toBe(0);
  }, 60_000);

  /** Ends the command this long after it has said that so many steps are done, unless it has ended by itself. */
  async function moved(to: string, steps: number, milliseconds: number, times: number[] = []): Promise<number | null> {
    const env = { PATH: process.env['PATH'], ...settings };
    const child = spawn(process.execPath, [program, 'tenants', 'move', tenant, '--to', to], { env, stdio: 'pipe' });
    const kill = (): void => void setTimeout(() => child.kill('SIGKILL'), milliseconds);
    let said = 0;
    let last = performance.now();
    if (steps === 0) kill();
    createInterface({ input: child.stderr }).on('line', () => {
      times.push(performance.now() - last);
      last = performance.now();
      if (++said === steps) kill();
    });
    return new Promise((resolve) => child.once('close', resolve));
  }

  /** Has a portal make offers one after the other; ends with those that were acknowledged. */
  function portal(): () => Promise<string[]> {
    let isOver = false;
    const work = async (): Promise<string[]> => {
      const made: string[] = [];
      while (!isOver) {
        const { status, headers, json } = await postJson(`${at(tenant)}/v0/offers`, { templateIds: [template] });
        if (status === 201) made.push(String(json['offerId']));
        else expect([status, headers.get('retry-after') !== null]).toEqual([503, true]);
        await pause(20);
      }
      return made;
    };
    const done = work();
    return () => {
      isOver = true;
      return done;
    };
  }

  it.each([0, ...moveSteps.keys()].map((_, steps) => [steps]))(
    'when %i steps are done leaves the tenant whole at one store, and is finished by the same command',
    async (steps) => {
      const { store } = answered(200, await get(`${tenants()}/${tenant}`));
      const to = store === 'first' ? 'north' : 'first';
      const { link } = await prepareOffer(at(tenant), [template]);
      const finish = portal();
      const milliseconds = Math.random() * (pauses[steps] ?? 100);
      const moment = `${milliseconds.toFixed(1)} ms after ${steps} steps`;
      await moved(to, steps, milliseconds);
      await areProven(moment);
      const shown = answered(200, await get(`${tenants()}/${tenant}`));
      expect({ moment, store: shown['store'] }).toEqual({
        moment,
        store: expect.stringMatching(/^(first|north)$/) as unknown,
      });
      // The database may not have noticed yet that the command is gone.
      await eventually(async () => {
        const { code, stderr } = await run('tenants', 'move', tenant, '--to', to);
        if (!stderr.includes('by another command')) expect({ moment, code, stderr }).toMatchObject({ moment, code: 0 });
        return code === 0;
      }, 60_000);
      await eventually(async () => (await get(`${at(tenant)}/v0/offers`)).status === 200, 30_000);
      const made = await finish();
      expect({ moment, store: answered(200, await get(`${tenants()}/${tenant}`))['store'] }).toEqual({
        moment,
        store: to,
      });
      for (const offerId of made) answered(200, await get(`${at(tenant)}/v0/offers/${offerId}`));
      await expect(receive(link)).resolves.toHaveLength(1);
      await expect(tokenStatus(held)).resolves.toBe(0);
      await areProven(moment);
    },
  );
});
