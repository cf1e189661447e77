import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stores } from '@app/event-store';
import { Expiries } from '@app/operation';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { startTcpProxy, type TcpProxy } from '../support/counterparts/tcp-proxy';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, type Reply } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { ask } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { tokenStatus } from '../support/verifiers/status-readers';
import { receive } from '../support/wallets/wallet';

let directory: string;
let north: string;
let other: string;
let proxy: TcpProxy;
const service = serviceOfFile(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stores-'));
  return {
    SERVICE__STORES__DIRECTORY: directory,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    SERVICE__EVENTS__HEARTBEAT_SECONDS: '1',
  };
});
let receiver: WebhookReceiver;
beforeAll(async () => {
  north = await sharedPostgres().createDatabase();
  const { hostname: host, port } = new URL(north);
  proxy = await startTcpProxy({ host, port: Number(port) });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await proxy.stop();
  await receiver.stop();
  await dropDatabase(north);
  await dropDatabase(other);
  await rm(directory, { recursive: true });
});

const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const stores = (): Stores => service.app.get(Stores, { strict: false });
function create(tenantId: string, more: Json = {}): Promise<Reply> {
  return postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId, ...more });
}
function problemOf({ status, json }: Reply): string {
  return `${status} ${String(json['type']).split('/').pop()}`;
}
async function joinStore(name: string, url: string): Promise<void> {
  await writeFile(join(directory, name), url);
  await stores().look();
}
function through({ port }: TcpProxy): string {
  const url = new URL(north);
  url.port = String(port);
  return url.toString();
}
async function rowsOf(connectionString: string, text: string): Promise<Json[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Json>(text)).rows;
  } finally {
    await client.end();
  }
}
async function steps(tenant: string, path: string): Promise<unknown[]> {
  const { timeline } = answered(200, await get(`${at(tenant)}/v0/${path}`));
  return (timeline as Json[]).map(({ step }) => step);
}

describe('a further store', () => {
  it('is named when a tenant is to be made in one that is not there', async () => {
    const refused = await create('nowhere', { store: 'north' });
    expect(problemOf(refused)).toBe('400 validation-failed');
    expect(refused.text).toContain('there are: first');
  });

  it('joins while the service runs, and has what a tenant stores', async () => {
    await joinStore('north', through(proxy));
    expect(answered(201, await create('here'))['store']).toBe('first');
    expect(answered(201, await create('there', { store: 'north' }))['store']).toBe('north');
    for (const tenant of ['here', 'there'])
      await publishedTemplate(at(tenant), { templateId: 'card', revocable: true });
    const events = await rowsOf(north, 'select distinct split_part(stream_id, $$-$$, 1) as category from events');
    expect(events.map(({ category }) => String(category).split('~')[0])).toContain('template');
    expect(events.every(({ category }) => String(category).includes('~'))).toBe(true);
  });

  it('serves wallets, status lists, webhooks, streams and the audit of its tenants', async () => {
    answered(201, await postJson(`${at('there')}/v0/webhooks`, { url: receiver.url }));
    const stream = await listen(`${at('there')}/v0/events`);
    const { link, credentialIds, offerId } = await prepareOffer(at('there'), ['card']);
    const [credential = ''] = await receive(link);
    expect(await tokenStatus(credential)).toBe(0);
    answered(
      204,
      await postJson(`${at('there')}/v0/credentials/${credentialIds[0] ?? ''}/revoke`, { reason: 'keyCompromise' }),
    );
    await eventually(async () => (await tokenStatus(credential)) === 1, 10_000);
    const types = (await stream.take(2)).map(({ type }) => type);
    stream.cut();
    expect(types[0]).toBe('offer.fetched');
    await eventually(() => receiver.messages.some(({ event }) => event['type'] === 'credential.revoked'), 10_000);
    expect(receiver.messages.every(({ event }) => event['source'] === at('there'))).toBe(true);
    const { items } = answered(200, await get(`${at('there')}/v0/audit`)) as { items: Json[] };
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['templates.publish', 'webhooks.create', 'credentials.revoke']),
    );
    expect(answered(200, await get(`${service.url}/v0/tenants/there/usage`))).toMatchObject({
      offers: 1,
      templates: 1,
    });
    expect((await get(`${at('here')}/v0/offers/${offerId}`)).status).toBe(404);
  }, 60_000);

  it('records what has expired in it', async () => {
    const { offerId } = await prepareOffer(at('there'), [], { expiresIn: 'PT1S' });
    const { state } = await ask(at('there'), { expiresIn: 'PT1S' });
    await eventually(async () => {
      await service.app.get(Expiries, { strict: false }).record();
      const paths = [`offers/${offerId}`, `authorization_requests/${state}`];
      const all = await Promise.all(paths.map((path) => steps('there', path)));
      return all.every((one) => one.includes('expired'));
    }, 20_000);
  }, 30_000);

  it('makes its own tenants unavailable while it is away, and no others', async () => {
    proxy.cut();
    const refused = await get(`${at('there')}/v0/offers`);
    expect(problemOf(refused)).toBe('503 unavailable');
    expect(refused.text).toContain('The store of this tenant does not answer');
    expect(refused.headers.get('retry-after')).toBe('2');
    await prepareOffer(at('here'), ['card']);
    answered(200, await get(`${service.url}/v0/offers`));
    expect((await get(`${service.url}/readyz`)).status).toBe(200);
    proxy.mend();
    await eventually(async () => (await get(`${at('there')}/v0/offers`)).status === 200, 20_000);
    await prepareOffer(at('there'), ['card']);
  }, 40_000);

  it('is neither the first store nor that of another name or deployment', async () => {
    await joinStore('again', north);
    other = await sharedPostgres().createDatabase();
    await joinStore('foreign', other);
    expect(answered(201, await create('guest', { store: 'foreign' }))['store']).toBe('foreign');
    await rowsOf(other, `update store_identity set deployment = gen_random_uuid()`);
    await writeFile(join(directory, 'stranger'), other);
    await stores().look();
    const faults = new Map(
      stores()
        .standings()
        .map(({ name, fault }) => [name, fault]),
    );
    expect(faults.get('again')).toBe('Its database is the store north.');
    expect(faults.get('stranger')).toBe('Its database belongs to another deployment.');
    expect(faults.get('north')).toBeUndefined();
    expect(problemOf(await create('lost', { store: 'again' }))).toBe('503 unavailable');
  });
});
