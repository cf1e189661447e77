import { parse } from 'yaml';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import * as x509 from '@peculiar/x509';

let settings: Record<string, string>;
let service: RunningService;
beforeAll(async () => {
  settings = {
    SERVICE__PROFILE: 'development',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
    SERVICE__APPLICATION_URL: 'https://credentials.example',
  };
  service = await startService(settings);
});
afterAll(() => service.stop());

const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, parameters);
const tenants = (...parameters: string[]): Promise<Ran> => run('tenants', ...parameters);
const at = (tenant: string): string => `${service.url}/t/${tenant}`;

/** Milliseconds in which a replica learns what was done elsewhere. */
const follows = 12_000;
async function eventually(met: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + follows;
  while (!(await met())) {
    if (performance.now() > end) throw new Error('the service has not followed');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function done(ran: Promise<Ran>): Promise<string> {
  const { code, stdout, stderr } = await ran;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) as unknown });
  return stdout;
}

async function rows(ran: Promise<Ran>): Promise<string[][]> {
  const [, ...lines] = (await done(ran)).trim().split('\n');
  return lines.map((line) => line.split(/ {2,}/));
}

describe('tenants', () => {
  it('are created with an API key that opens them alone', async () => {
    const { code, stdout, stderr } = await tenants(
      'create',
      'town',
      '--name',
      'Town',
      '--url',
      'https://id.town.example',
    );
    expect(code).toBe(0);
    expect(stderr).toContain('https://id.town.example');
    expect(stderr).not.toContain(stdout.trim());
    const authorization = `Bearer ${stdout.trim()}`;
    await eventually(async () => (await get(`${at('town')}/v0/offers`, { authorization })).status === 200);
    expect((await get(`${service.url}/v0/offers`, { authorization })).status).toBe(401);
    await done(tenants('create', 'village', '--name', 'Village'));
  });

  it('are listed and shown', async () => {
    expect((await rows(tenants('list'))).map(([id, status, , url, name]) => [id, status, url, name])).toEqual([
      ['town', 'Active', 'https://id.town.example', 'Town'],
      ['village', 'Active', 'https://credentials.example/t/village', 'Village'],
    ]);
    expect(parse(await done(tenants('show', 'village')))).toMatchObject({
      tenantId: 'village',
      displayName: 'Village',
      status: 'Active',
      url: 'https://credentials.example/t/village',
    });
  });

  it.each([
    ['another with the same id', ['town', '--name', 'Town'], 'choose another'],
    ['another with the same URL', ['city', '--name', 'City', '--url', 'https://id.town.example'], 'choose another'],
    [
      'one on a host of the service',
      ['city', '--name', 'City', '--url', 'https://credentials.example/x'],
      '/publicUrl: ',
    ],
  ])('are refused: %s', async (_, parameters, words) => {
    const { code, stdout, stderr } = await tenants('create', ...parameters);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('are suspended and resumed, in the running service as well', async () => {
    expect(await done(tenants('suspend', 'village', '--scope', 'all', '--reason', 'Invoice'))).toBe(
      'village: Suspended for all.\n',
    );
    await eventually(async () => (await get(`${at('village')}/v0/offers`)).status === 403);
    expect(await done(tenants('resume', 'village'))).toBe('village: Active.\n');
    await eventually(async () => (await get(`${at('village')}/v0/offers`)).status === 200);
  });

  it('are deleted once that is confirmed, and restored', async () => {
    const refused = await tenants('delete', 'village');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/After 7 days.*--yes/) as unknown]);
    expect(await done(tenants('delete', 'village', '--yes'))).toMatch(/^village: Deleting, can be restored until 2/);
    expect(await done(tenants('restore', 'village'))).toBe('village: Active.\n');
  });

  it('are recorded in the audit', async () => {
    const audit = answered(200, await get(`${service.url}/v0/audit?object=village`))['items'] as Json[];
    expect(audit.map(({ action, outcome }) => `${String(action)} ${String(outcome)}`)).toEqual(
      expect.arrayContaining([
        'tenants.create ok',
        'tenants.suspend ok',
        'tenants.delete refused',
        'tenants.restore ok',
      ]),
    );
  });
});

describe('--tenant', () => {
  it.each([
    ['keys', 'list'],
    ['keys', 'rotate'],
    ['certificates', 'list'],
    ['certificates', 'request', '--use', 'requests'],
    ['api-keys', 'list'],
    ['doctor'],
  ])('names one that there is: %s %s', async (...command) => {
    const { code, stderr } = await run(...command, '--tenant', 'twon');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no tenant twon, but town; see "sealwright tenants list".');
  });

  it('has keys listed, rotated and revoked of the tenant alone', async () => {
    const kids = async (...of: string[]): Promise<string[]> =>
      (await rows(run('keys', 'list', ...of))).map(([kid = '']) => kid).sort();
    const published = async (): Promise<string[]> => {
      const { keys } = answered(200, await get(`${at('village')}/jwks.json`));
      return (keys as { kid: string }[]).map(({ kid }) => kid).sort();
    };
    const own = await kids();
    const before = await kids('--tenant', 'village');
    expect(before).toEqual(await published());
    expect(before.filter((kid) => own.includes(kid))).toEqual([]);
    const [, made = '', retired = ''] =
      /^ES256: (\S+) signs from now on, (\S+) is retired/.exec(
        await done(run('keys', 'rotate', '--algorithm', 'ES256', '--tenant', 'village')),
      ) ?? [];
    expect(before).toContain(retired);
    await eventually(async () => (await published()).includes(made));
    await done(run('keys', 'revoke', retired, '--yes', '--tenant', 'village'));
    await eventually(async () => !(await published()).includes(retired));
    expect(await kids()).toEqual(own);
    const audit = answered(200, await get(`${at('village')}/v0/audit?action=keys.rotate`))['items'] as Json[];
    expect(audit.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['ok']));
    expect((await run('keys', 'revoke', made, '--yes')).stderr).toContain('There is no signing key');
  });

  it('asks for certificates with the names of the tenant', async () => {
    const pem = await done(run('certificates', 'request', '--use', 'credentials', '--tenant', 'town'));
    const names = new x509.Pkcs10CertificateRequest(pem).extensions
      .filter((one) => one instanceof x509.SubjectAlternativeNameExtension)
      .flatMap(({ names: { items } }) => items.map(({ value }) => value));
    expect(names).toEqual(['id.town.example', 'https://id.town.example/openid4vci']);
  });

  it('makes and revokes API keys of the tenant, which can do nothing with tenants', async () => {
    const create = (...more: string[]): Promise<Ran> =>
      run('api-keys', 'create', '--name', 'portal', '--tenant', 'town', '--scope', ...more);
    const denied = await create('offers:read', 'tenants:read');
    expect([denied.code, denied.stderr]).toEqual([2, expect.stringContaining('--scope tenants:read') as unknown]);
    const authorization = `Bearer ${(await done(create('offers:read'))).trim()}`;
    expect((await get(`${at('town')}/v0/offers`, { authorization })).status).toBe(200);
    const found = (await rows(run('api-keys', 'list', '--tenant', 'town'))).find((row) => row.includes('portal'));
    expect((await rows(run('api-keys', 'list'))).some((row) => row.includes('portal'))).toBe(false);
    const [id = ''] = found ?? [];
    expect((await run('api-keys', 'revoke', id)).code).toBe(1);
    await done(run('api-keys', 'revoke', id, '--tenant', 'town'));
    await eventually(async () => (await get(`${at('town')}/v0/offers`, { authorization })).status === 401);
  });

  it('has the doctor examine the tenant', async () => {
    const { stdout } = await run('doctor', '--tenant', 'village');
    expect(stdout).toMatch(/signing keys {2,}.*sign and verify/);
    expect(stdout).not.toContain('migrations');
  });
});
