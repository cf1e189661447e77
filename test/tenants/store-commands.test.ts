import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Settings } from '@app/config';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { checkDataKeys, openCheckingKeys, rewrap } from '@app/keys';
import { Logger } from '@nestjs/common';
import { TenantDeletions } from '../../libs/tenants/src/tenant-deletions';
import { TenantFiles } from '../../libs/tenants/src/tenant-files';
import { TenantRecords } from '../../libs/tenants/src/tenant-records';
import { eventually } from '../event-store/accounts';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { furtherStores } from '../support/service/further-stores';

const { service, settings, file, joinStore, north, proxy, receiver, rowsOf, stores, through } = furtherStores();
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings(), parameters);
const driver = (): SqlDriver => service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
const credentials = new Map<string, string>();
beforeAll(async () => {
  await joinStore('north', through());
  for (const [tenantId, store] of [
    ['here', 'first'],
    ['there', 'north'],
  ] as const) {
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId, store }));
    const template = await publishedTemplate(at(tenantId));
    credentials.set(tenantId, (await prepareOffer(at(tenantId), [template])).credentialIds[0] ?? '');
  }
});

it('what a command does for a tenant is in the audit of that tenant, in its store', async () => {
  for (const tenant of ['here', 'there']) {
    const command = ['api-keys', 'create', '--name', 'portal', '--scope', 'offers:read', '--tenant', tenant];
    expect(await sealwrightWith(settings(), command)).toMatchObject({ code: 0 });
    const { items } = answered(200, await get(`${at(tenant)}/v0/audit?action=api-keys.create`)) as { items: Json[] };
    expect(items.map(({ outcome }) => outcome)).toEqual(['ok', 'started']);
  }
  const first = String(settings()['SERVICE__EVENT_STORE__CONNECTION_STRING']);
  const ofTenants = `select count(*)::int as count from audit where tenant <> '' and action = 'api-keys.create'`;
  expect(await Promise.all([first, north()].map((one) => rowsOf(one, ofTenants)))).toEqual([
    [{ count: 2 }],
    [{ count: 2 }],
  ]);
});

it('a new root key seals what is in every store', async () => {
  const data = async (tenant: string): Promise<string> =>
    (await get(`${at(tenant)}/v0/credentials/${credentials.get(tenant) ?? ''}`)).text;
  const sealed = (one: string): Promise<Json[]> =>
    rowsOf(one, `select encode(sealed_key, 'hex') as key from data_keys order by stream_id`);
  const before = await sealed(north());
  expect(before.length).toBeGreaterThan(0);
  const silent = { step: () => undefined, dataKeys: () => undefined };
  const pauses = { knownMs: 3_000, settledMs: 4_000 };
  const further = [stores().at('north')];
  expect(await rewrap(driver(), 'development-only', pauses, silent, further)).toEqual({ closed: [] });
  const { roots } = await openCheckingKeys(driver(), 'development-only');
  for (const one of [driver(), ...further]) {
    const findings: unknown[] = [];
    for await (const finding of checkDataKeys(one, roots, () => undefined)) findings.push(finding);
    expect(findings).toEqual([]);
  }
  for (const tenant of ['here', 'there']) expect(await data(tenant)).toContain('Mustermann');
});

it('erases in a restored store again what was erased after the backup', async () => {
  const { credentialIds } = await prepareOffer(at('there'), [await publishedTemplate(at('there'))]);
  const path = `${at('there')}/v0/credentials/${credentialIds[0] ?? ''}`;
  const ofStream = `stream_id like 'credential~%-${credentialIds[0] ?? ''}'`;
  const [before] = await rowsOf(
    north(),
    `select encode(sealed_key, 'hex') as key, stream_id as id, created_at::text as at from data_keys where ${ofStream}`,
  );
  answered(204, await send(`${path}/personal_data`, { method: 'DELETE' }));
  const list = file('erasures.txt');
  await writeFile(list, (await run('erasures', 'list', '--store', 'north')).stdout);
  await rowsOf(
    north(),
    `insert into data_keys (stream_id, sealed_key, created_at) values ('${String(before?.['id'])}', decode('${String(before?.['key'])}', 'hex'), '${String(before?.['at'])}')`,
  );
  expect(await run('erasures', 'replay', '--store', 'north')).toMatchObject({ code: 2 });
  expect(await run('erasures', 'replay', list, '--store', 'north')).toMatchObject({
    code: 0,
    stdout: 'Erased 1 credential or request again.\n',
  });
  expect(await rowsOf(north(), `select 1 as one from data_keys where ${ofStream}`)).toEqual([]);
});

it('webhooks of tenants in every store are listed, shown and sent events again', async () => {
  const ids = new Map<string, string>();
  for (const tenant of ['here', 'there']) {
    const made = await postJson(`${at(tenant)}/v0/webhooks`, { url: receiver().url, types: ['template.published'] });
    ids.set(tenant, String(answered(201, made)['webhookId']));
  }
  const list = (...more: string[]): Promise<string[]> =>
    run('webhooks', 'list', ...more).then(({ stdout }) => stdout.split('\n').slice(1, -1));
  const line = (tenant: string): unknown =>
    expect.stringMatching(new RegExp(`^${ids.get(tenant) ?? ''} +Enabled .* ${tenant}$`));
  expect(await list()).toEqual([line('here'), line('there')]);
  expect(await list('--tenant', 'there')).toEqual([line('there')]);
  const id = ids.get('there') ?? '';
  const templateId = await publishedTemplate(at('there'));
  await eventually(() => receiver().messages.length === 1);
  const event = String(receiver().messages[0]?.id);
  await eventually(async () => (await run('webhooks', 'deliveries', id)).stdout.includes('Delivered'));
  expect((await run('webhooks', 'deliveries', id, '--tenant', 'there')).stdout).toMatch(
    new RegExp(`\n${event} +Delivered .* templates/${templateId}\n$`),
  );
  for (const more of [[], ['--tenant', 'there']]) {
    const { length } = receiver().messages;
    const replayed = await run('webhooks', 'replay', id, '--from-event', event, ...more);
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    await eventually(() => receiver().messages.length === length + 1);
    expect(receiver().messages[length]?.id).toBe(event);
  }
  const { items } = answered(200, await get(`${at('there')}/v0/audit?action=webhooks.replay`)) as { items: Json[] };
  expect(items.map(({ outcome }) => outcome)).toEqual(['ok', 'started']);
  const refused = await run('webhooks', 'replay', id, '--from-event', event, '--tenant', 'here');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no webhook') as unknown });
  await rowsOf(north(), `update webhook_receivers set failures = 3, failing_since = now() where webhook_id = '${id}'`);
  expect((await run('doctor')).stdout).toContain(`${id} fails since`);
});

it('a file names the store in which its tenant is made, and has to be', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenant-files-'));
  const tenants = Object.assign(Object.create(service.app.get(Settings)) as Settings, { tenants: { directory } });
  const files = new TenantFiles(
    tenants,
    service.app.get(TenantRecords, { strict: false }),
    service.app.get(EventStore),
  );
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const written = async (text: string): Promise<unknown> => {
    await writeFile(join(directory, 'filed.yaml'), text);
    await files.read();
    const { displayName, store } = answered(200, await get(`${service.url}/v0/tenants/filed`));
    return { displayName, store };
  };
  try {
    expect(await written('displayName: Filed\nstore: north\n')).toEqual({ displayName: 'Filed', store: 'north' });
    expect(await written('displayName: Changed\n')).toEqual({ displayName: 'Changed', store: 'north' });
    expect(logged).not.toHaveBeenCalled();
    expect(await written('displayName: Moved\nstore: first\n')).toEqual({ displayName: 'Changed', store: 'north' });
    expect(JSON.stringify(logged.mock.calls)).toContain('tenants move filed --to first');
  } finally {
    logged.mockRestore();
    await rm(directory, { recursive: true });
  }
});

it('the deletion of one tenant waits for its store, and that of others for none but theirs', async () => {
  const made = await postJson(`${service.url}/v0/tenants`, { tenantId: 'leaving', displayName: 'Leaving' });
  answered(201, made);
  Object.assign(service.app.get(Settings, { strict: false }).tenants, { regretDays: 0 });
  const url = (tenant: string): string => `${service.url}/v0/tenants/${tenant}`;
  const statusOf = async (tenant: string): Promise<unknown> => answered(200, await get(url(tenant)))['status'];
  const deletions = service.app.get(TenantDeletions, { strict: false });
  for (const tenant of ['there', 'leaving'])
    answered(200, await send(`${url(tenant)}?confirm=${tenant}`, { method: 'DELETE' }));
  proxy().cut();
  await deletions.run();
  expect([await statusOf('there'), await statusOf('leaving')]).toEqual(['Deleting', 'Deleted']);
  proxy().mend();
  await eventually(async () => {
    await deletions.run();
    return (await statusOf('there')) === 'Deleted';
  });
});
