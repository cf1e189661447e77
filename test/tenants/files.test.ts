import { Logger } from '@nestjs/common';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantFiles } from '../../libs/tenants/src/tenant-files';
import { sharedPostgres } from '../support/database/postgres';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let directory: string;
let settings: Record<string, string>;
let replicas: RunningService[];
const refused: Json[] = [];
const write = (name: string, text: string): void => {
  writeFileSync(join(directory, `.${name}`), text);
  renameSync(join(directory, `.${name}`), join(directory, name));
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tenant-files-'));
  write(
    'town.yaml',
    'displayName: Town\nlimits: { offersPerMinute: 10 }\nsettings: { issuer: { colour: "#0b5c3b" } }\n',
  );
  write('village.yaml', 'tenantId: village\ndisplayName: Village\npublicUrl: https://id.village.example\n');
  write('broken.yaml', 'displayName: [');
  write('misspelt.yaml', 'displayName: Misspelt\nsettings: { issuer: { color: blue } }\n');
  write('nameless.yaml', 'limits: { offersPerMinute: 0 }\n');
  write('thief.yaml', 'displayName: Thief\npublicUrl: http://127.0.0.1\n');
  write('other.yaml', 'tenantId: town\ndisplayName: Other\n');
  write('Capital.yaml', 'displayName: Capital\n');
  write('short.yml', 'displayName: Short\n');
  write('README.md', 'about these files');
  mkdirSync(join(directory, 'folder.yaml'));
  settings = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
    SERVICE__TENANTS__DIRECTORY: directory,
  };
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => {
    refused.push(line as Json);
  });
  replicas = await Promise.all([startService(settings), startService(settings)]);
  logged.mockRestore();
});
afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  rmSync(directory, { recursive: true });
});

const of = (tenant: string, replica = 0): string => `${replicas[replica]?.url ?? ''}/v0/tenants/${tenant}`;
const shown = async (tenant: string, replica = 0): Promise<Json> => answered(200, await get(of(tenant, replica)));
const read = async (): Promise<void> => {
  for (const { app } of replicas) await app.get(TenantFiles, { strict: false }).read();
};
const sent = (method: string, url: string, body: Json): Promise<Reply> =>
  send(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('a tenant with a file', () => {
  it('is there at the start, once for all replicas', async () => {
    const town = { displayName: 'Town', settings: { issuer: { colour: '#0b5c3b' } }, file: 'town.yaml' };
    for (const replica of [0, 1]) {
      expect(await shown('town', replica)).toMatchObject({
        ...town,
        status: 'Active',
        limits: { offersPerMinute: 10 },
      });
      expect(await shown('village', replica)).toMatchObject({ url: 'https://id.village.example' });
    }
    const { items } = answered(200, await get(`${replicas[0]?.url ?? ''}/v0/audit?action=tenants.create`));
    expect((items as Json[]).map(({ principal, object }) => [principal, object]).sort()).toEqual([
      ['file:town.yaml', 'town'],
      ['file:village.yaml', 'village'],
    ]);
    expect(answered(200, await postJson(`${of('town')}/api_keys`, { name: 'Portal' }))['apiKey']).toMatch(/^swk_/);
  });

  it('is not there when its file is faulty, which is named with its fault', async () => {
    const faults = new Map(
      refused.map(({ event, source, reason }) => [`${String(event)} ${String(source)}`, String(reason)]),
    );
    const words: Record<string, string> = {
      'broken.yaml': 'line 1',
      'misspelt.yaml': '/settings/issuer/color',
      'nameless.yaml': '/displayName',
      'thief.yaml': '/publicUrl',
      'other.yaml': 'tenantId must be',
      'Capital.yaml': '/tenantId',
      'short.yml': 'name it ID.yaml',
      'folder.yaml': 'may read',
    };
    expect([...faults.keys()].sort()).toEqual(
      Object.keys(words)
        .map((name) => `tenants.file-refused ${name}`)
        .sort(),
    );
    for (const [name, word] of Object.entries(words))
      expect(faults.get(`tenants.file-refused ${name}`)).toContain(word);
    expect((await get(of('misspelt'))).status).toBe(404);
  });

  it('is changed by its file alone, on every replica', async () => {
    for (const refusal of [
      await sent('PATCH', of('town'), { displayName: 'City' }),
      await sent('DELETE', `${of('town', 1)}?confirm=town`, {}),
      await postJson(of(''), { tenantId: 'misspelt', displayName: 'Misspelt' }),
    ]) {
      expectProblem(refusal, 409, 'tenant-managed-by-file');
      expect(refusal.json['detail']).toMatch(/town\.yaml|misspelt\.yaml/);
    }
    const { headers } = await get(of('town'));
    write('town.yaml', 'displayName: City\n');
    write('misspelt.yaml', 'displayName: Well spelt\n');
    await read();
    for (const replica of [0, 1]) {
      expect(await shown('town', replica)).toMatchObject({ displayName: 'City', settings: {} });
      expect(await shown('misspelt', replica)).toMatchObject({ displayName: 'Well spelt' });
    }
    const { items } = answered(200, await get(`${replicas[0]?.url ?? ''}/v0/audit?action=tenants.change&outcome=ok`));
    expect(items).toHaveLength(1);
    expect((await get(of('town'))).headers.get('etag')).not.toBe(headers.get('etag'));
    // What happens to it beside is no matter of files.
    answered(200, await postJson(`${of('town')}/suspend`, { scope: 'all' }));
    answered(200, await postJson(`${of('town')}/resume`, ''));
    await read();
    expect(await shown('town')).toMatchObject({ displayName: 'City', status: 'Active' });
  });

  it('stays without it, and can be changed by the API then', async () => {
    rmSync(join(directory, 'village.yaml'));
    await read();
    expect(await shown('village')).toMatchObject({ status: 'Active', file: null });
    expect(answered(200, await sent('PATCH', of('village'), { displayName: 'Hamlet' }))['displayName']).toBe('Hamlet');
    await read();
    expect(await shown('village', 1)).toMatchObject({ displayName: 'Hamlet' });
  });
});

it('is a fault of the settings when the directory is not there', async () => {
  const missing = { ...settings, SERVICE__TENANTS__DIRECTORY: join(directory, 'missing') };
  await expect(startService(missing)).rejects.toThrow('SERVICE__TENANTS__DIRECTORY');
});
