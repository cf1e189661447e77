import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { sealwrightWith } from '../support/service/command-line';
import { type RunningService, startService } from '../support/service/service';

const password = 'only-for-this-test';
const settingsOf = (store: string, keys: string): Record<string, string> => ({
  SERVICE__EVENT_STORE__TYPE: 'postgres',
  SERVICE__EVENT_STORE__CONNECTION_STRING: store,
  SERVICE__ERASURE_KEYS__CONNECTION_STRING: keys,
  SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: password,
});

async function run(database: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(statement);
  await client.end();
}

const databases: string[] = [];
const directory = mkdtempSync(join(tmpdir(), 'restored-'));
afterAll(async () => {
  await Promise.all(databases.map(dropDatabase));
  rmSync(directory, { recursive: true });
});

async function database(): Promise<string> {
  const url = await sharedPostgres().createDatabase();
  databases.push(url);
  return url;
}

/** What a backup of a database without connections brings back, on another one. */
async function backupOf(url: string): Promise<string> {
  const copy = new URL(url);
  copy.pathname = `${copy.pathname}_backup`;
  await run(
    sharedPostgres().url,
    `create database ${copy.pathname.slice(1)} template ${new URL(url).pathname.slice(1)}`,
  );
  databases.push(copy.href);
  return copy.href;
}

async function outputOf(settings: Record<string, string>, ...parameters: string[]): Promise<string> {
  const { code, stdout, stderr } = await sealwrightWith(settings, parameters);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** What the doctor finds of the erasure keys. */
async function diagnosis(settings: Record<string, string>): Promise<unknown> {
  const { stdout } = await sealwrightWith(settings, ['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: readonly { readonly check: string }[] };
  return findings.find(({ check }) => check === 'erasure keys');
}

const isOpen = async ({ url }: RunningService, id = ''): Promise<boolean> =>
  answered(200, await get(`${url}/v0/credentials/${id}`))['credential'] !== null;

async function erase({ url }: RunningService, id = ''): Promise<void> {
  expect((await send(`${url}/v0/credentials/${id}/personal_data`, { method: 'DELETE' })).status).toBe(204);
}

/** A store that was backed up, and whose service has since erased one of two persons and recorded a third. */
async function lostStore(keys: string) {
  const store = await database();
  let service = await startService(settingsOf(store, keys));
  const ids = [];
  for (let n = 0; n < 2; n++) ids.push(...(await prepareOffer(service.url)).credentialIds);
  await service.stop();
  const backup = await backupOf(store);
  service = await startService(settingsOf(store, keys));
  const [erased = '', kept = ''] = ids;
  await erase(service, erased);
  const [afterwards = ''] = (await prepareOffer(service.url)).credentialIds;
  await erase(service, afterwards);
  await service.stop();
  return { store, backup, erased, kept };
}

describe('a store restored from a backup', () => {
  it('does not serve before the erasures since are repeated, which the database of erasure keys knows', async () => {
    const keys = await database();
    const { backup, erased, kept } = await lostStore(keys);
    const settings = settingsOf(backup, keys);
    await expect(startService(settings)).rejects.toThrow('run "sealwright erasures replay"');
    expect(await diagnosis(settings)).toMatchObject({
      outcome: 'fail',
      found: expect.stringContaining('run "sealwright erasures replay"') as string,
    });
    expect(await outputOf(settings, 'erasures', 'replay')).toBe('Erased 1 credential or request again.\n');
    const restored = await startService(settings);
    expect([await isOpen(restored, erased), await isOpen(restored, kept)]).toEqual([false, true]);
    await restored.stop();
    expect(await diagnosis(settings)).toMatchObject({ outcome: 'ok' });
    expect(await outputOf(settings, 'erasures', 'replay')).toBe('Erased 0 credentials and requests again.\n');
  });

  it('has the erasures of tenants repeated as well', async () => {
    const [keys, store] = [await database(), await database()];
    let service = await startService(settingsOf(store, keys));
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: 'town', displayName: 'Town' }));
    const at = (): string => `${service.url}/t/town`;
    const templates = [await publishedTemplate(at())];
    const [erased = ''] = (await prepareOffer(at(), templates)).credentialIds;
    const [kept = ''] = (await prepareOffer(at(), templates)).credentialIds;
    await service.stop();
    const backup = await backupOf(store);
    service = await startService(settingsOf(store, keys));
    expect((await send(`${at()}/v0/credentials/${erased}/personal_data`, { method: 'DELETE' })).status).toBe(204);
    await service.stop();
    const settings = settingsOf(backup, keys);
    expect(await outputOf(settings, 'erasures', 'replay')).toBe('Erased 1 credential or request again.\n');
    service = await startService(settings);
    const shown = async (id: string): Promise<unknown> =>
      answered(200, await get(`${at()}/v0/credentials/${id}`))['credential'];
    expect([await shown(erased), await shown(kept)]).toEqual([null, expect.any(Object)]);
    await service.stop();
  });

  it('does not serve either after a repetition that was interrupted', async () => {
    const keys = await database();
    const store = await database();
    let service = await startService(settingsOf(store, ''));
    const ids = [];
    for (let n = 0; n < 2; n++) ids.push(...(await prepareOffer(service.url)).credentialIds);
    await service.stop();
    const backup = await backupOf(store);
    await outputOf(settingsOf(store, keys), 'erasure-keys', 'add');
    service = await startService(settingsOf(store, keys));
    for (const id of ids) await erase(service, id);
    await service.stop();
    const settings = settingsOf(backup, keys);
    const [, last = ''] = [...ids].sort();
    await run(
      backup,
      `create function refused() returns trigger as $$ begin raise 'refused'; end $$ language plpgsql;
       create trigger refused before delete on data_keys for each row
         when (old.stream_id = 'credential-${last}') execute function refused()`,
    );
    expect((await sealwrightWith(settings, ['erasures', 'replay'])).code).not.toBe(0);
    await run(backup, 'drop trigger refused on data_keys');
    await expect(startService(settings)).rejects.toThrow('run "sealwright erasures replay"');
    expect(await outputOf(settings, 'erasures', 'replay')).toBe('Erased 1 credential or request again.\n');
    const restored = await startService(settings);
    expect([await isOpen(restored, ids[0]), await isOpen(restored, ids[1])]).toEqual([false, false]);
    await erase(restored, (await prepareOffer(restored.url)).credentialIds[0]);
    await restored.stop();
    await (await startService(settings)).stop();
  });

  it('without erasure keys repeats the erasures of a list that was kept beside the backups', async () => {
    const { store, backup, erased, kept } = await lostStore('');
    const list = await outputOf(settingsOf(store, ''), 'erasures', 'list');
    expect(list.split('\n')).toHaveLength(3);
    expect(list).not.toContain(erased);
    const file = join(directory, 'erasures.txt');
    writeFileSync(file, list);
    const settings = settingsOf(backup, '');
    expect(await outputOf(settings, 'erasures', 'replay', file)).toBe('Erased 1 credential or request again.\n');
    const restored = await startService(settings);
    expect([await isOpen(restored, erased), await isOpen(restored, kept)]).toEqual([false, true]);
    await restored.stop();
  });
});
