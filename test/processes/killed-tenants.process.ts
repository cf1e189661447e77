import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { tokenStatus } from '../support/verifiers/status-readers';
import { receive } from '../support/wallets/wallet';

/** Deletions are looked for each minute: here each tenth of a second, in the thread of the background as well. */
const hurry = `const set = setInterval;
globalThis.setInterval = (work, every, ...more) => set(work, every === 60_000 ? 100 : every, ...more);`;

let directory: string;
let client: Client;
let service: ServiceProcess;
let settings: Record<string, string>;
let database: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'killed-tenants-'));
  writeFileSync(join(directory, 'hurry.js'), hurry);
  database = await sharedPostgres().createDatabase();
  settings = {
    NODE_OPTIONS: `--require ${join(directory, 'hurry.js')}`,
    SERVICE__TENANTS__REGRET_DAYS: '0',
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
  };
  service = await startServiceProcess(database, undefined, settings);
  client = new Client({ connectionString: database });
  await client.connect();
}, 120_000);
afterAll(async () => {
  await client.end();
  await service.stop();
  rmSync(directory, { recursive: true });
});

/** Has each such change of a row take a second. */
async function slow(change: string, table: string, when: string): Promise<void> {
  await client.query(`create or replace function slow() returns trigger as $$
    begin perform pg_sleep(1); return coalesce(new, old); end $$ language plpgsql`);
  await client.query(
    `create trigger slow before ${change} on ${table} for each row when (${when}) execute function slow()`,
  );
}

/** Ends the service at once while it makes the change, and starts it again when the database is done. */
async function killedWhile(act: () => Promise<unknown>, change: string, table: string, when: string): Promise<void> {
  await slow(change, table, when);
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
  // Its address is in what was issued.
  const { url } = service;
  const again = { ...settings, SERVICE__HTTP__PORT: new URL(url).port };
  service = { ...(await startServiceProcess(database, url, again)), url };
}

const tenants = (): string => `${service.url}/v0/tenants`;
const create = (tenantId: string): Promise<Json> =>
  postJson(tenants(), { tenantId, displayName: tenantId }).then((reply) => answered(201, reply));

async function credentialOf(tenantId: string): Promise<string> {
  const at = `${service.url}/t/${tenantId}`;
  const template = await publishedTemplate(at, { revocable: true });
  const [credential = ''] = await receive((await prepareOffer(at, [template])).link);
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
      await killedWhile(() => create(tenantId), change, table, when);
      expect((await create(tenantId))['apiKey']).toMatch(/^swk_/);
      await expect(tokenStatus(await credentialOf(tenantId))).resolves.toBe(0);
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
    const { apiKey } = await create(tenantId);
    const credential = await credentialOf(tenantId);
    const at = `${service.url}/t/${tenantId}`;
    answered(201, await postJson(`${at}/v0/webhooks`, { url: 'http://127.0.0.1:9/events' }));
    const remove = (): Promise<unknown> =>
      send(`${tenants()}/${tenantId}?confirm=${tenantId}`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    const mark = `(select state->>'mark' from streams where stream_id = 'tenant-${tenantId}')`;
    const receivers = `select from webhook_receivers where tenant = ${mark}`;
    await eventually(async () => (await client.query(receivers)).rows.length > 0, 60_000);
    await killedWhile(remove, change, table, when);
    const status = async (): Promise<unknown> => answered(200, await get(`${tenants()}/${tenantId}`))['status'];
    if ((await status()) === 'Active') await remove();
    await eventually(async () => (await status()) === 'Deleted', 30_000);
    const left = `select from key_store where purpose = 'tenant~' || ${mark} and sealed <> ''`;
    expect((await client.query(left)).rows).toEqual([]);
    expect((await client.query(receivers)).rows).toEqual([]);
    expect((await get(`${at}/v0/templates`, { authorization: `Bearer ${String(apiKey)}` })).status).toBe(401);
    await expect(tokenStatus(credential)).resolves.toBe(0);
  });
});
