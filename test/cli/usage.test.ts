import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { sealwright, sealwrightHere } from '../support/service/command-line';
import { freePort } from '../support/service/service';

const canary = 'Canary-7f3a91';
const production = {
  SERVICE__APPLICATION_URL: 'https://issuer.example',
  SERVICE__EVENT_STORE__CONNECTION_STRING: `postgresql://sealwright:${canary}@127.0.0.1:5432/sealwright`,
  SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: `${canary}-stronghold`,
  SERVICE__MANAGEMENT__API_KEYS: `${canary}-first-key,${canary}-second-key`,
};

const commands = [
  'migrate',
  'rebuild',
  'verify-store',
  'checkpoint',
  'grants',
  'keys list',
  'keys rotate',
  'keys revoke',
  'keys checkpoints',
  'keys password',
  'keys rewrap',
  'api-keys create',
  'api-keys list',
  'api-keys revoke',
  'tenants create',
  'tenants list',
  'tenants show',
  'tenants suspend',
  'tenants resume',
  'tenants delete',
  'tenants restore',
  'webhooks list',
  'webhooks deliveries',
  'webhooks replay',
  'config print',
  'trust import',
  'doctor',
];

describe('every command', () => {
  it.each(commands)('%s shows an example in its help, without any settings', async (command) => {
    const { code, stdout, stderr } = await sealwrightHere([...command.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: sealwright ${command}`));
    expect(stdout).toMatch(new RegExp(`^Examples?:\\n  sealwright ${command}`, 'm'));
  });

  it('is listed by sealwright --help', async () => {
    const { code, stdout } = await sealwright(['--help'], {});
    expect(code).toBe(0);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command.replace(/ .*/, '')} `, 'm'));
  });
});

it('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string };
  for (const option of ['--version', '-V'])
    expect(await sealwrightHere([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('a wrong call', () => {
  const kid = '-zbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';

  it.each<[string, string[]]>([
    ["unknown command 'nonsense'", ['nonsense']],
    ["unknown option '--nonsense'", ['migrate', '--nonsense']],
    ['too many arguments', ['migrate', 'nonsense']],
    ["'RS256' is invalid. Allowed choices are ES256, EdDSA", ['keys', 'rotate', '--algorithm', 'RS256']],
    ["missing required argument 'kid'", ['keys', 'revoke']],
    ['43 characters', ['keys', 'revoke', 'short']],
    ['too many arguments', ['keys', 'revoke', kid, '--force']],
    ["required option '--name <name>'", ['api-keys', 'create', '--scope', 'offers:read']],
    ["required option '--scope <scope...>'", ['api-keys', 'create', '--name', 'x']],
    ["'everything' is invalid", ['api-keys', 'create', '--name', 'x', '--scope', 'everything']],
    [
      '--expires takes a duration',
      ['api-keys', 'create', '--name', 'x', '--scope', 'offers:read', '--expires', 'soon'],
    ],
    ['--expires takes', ['api-keys', 'create', '--name', 'x', '--scope', 'offers:read', '--expires', '2027-02-30']],
    ["required option '--name <name>'", ['tenants', 'create', 'town']],
    ['The id of a tenant is 2 to 39', ['tenants', 'create', 'Town', '--name', 'Town']],
    ["'some' is invalid", ['tenants', 'suspend', 'town', '--scope', 'some']],
    ['--from takes a date-time', ['webhooks', 'replay', 'w', '--from', 'yesterday']],
    ['either --from or --from-event', ['webhooks', 'replay', 'w']],
    ['--from-event takes the id of an event', ['webhooks', 'replay', 'w', '--from-event', 'x']],
  ])('%s is reported in one sentence, exit code 2', async (said, parameters) => {
    const { code, stdout, stderr } = await sealwrightHere(parameters);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/See --help\.\n$/);
  });

  it('without a command lists the commands, exit code 2', async () => {
    const { code, stdout, stderr } = await sealwrightHere(['keys']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: sealwright keys');
  });
});

describe('config print', () => {
  it('writes the settings in force as YAML, without a database and without secrets', async () => {
    const { code, stdout, stderr } = await sealwright(['config', 'print'], production);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain(canary);
    expect(parse(stdout)).toMatchObject({
      profile: 'production',
      applicationUrl: 'https://issuer.example',
      http: { port: 3033 },
      eventStore: { type: 'postgres', connectionString: expect.stringContaining('(redacted)') as string },
      secretManager: { strongholdPassword: '(redacted)' },
      management: { apiKeys: ['(redacted)', '(redacted)'] },
    });
  });

  it('reads the .env file of the directory it is called in', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sealwright-cli-'));
    await writeFile(join(directory, '.env'), 'SERVICE__PROFILE=development\nSERVICE__HTTP__PORT=4711\n');
    const { stdout } = await sealwright(['config', 'print'], {}, directory);
    const other = await sealwright(['config', 'print'], { SERVICE__HTTP__PORT: '4712' }, directory);
    await rm(directory, { recursive: true });
    expect(parse(stdout)).toMatchObject({ profile: 'development', http: { port: 4711 } });
    // What is set already takes precedence.
    expect(parse(other.stdout)).toMatchObject({ profile: 'development', http: { port: 4712 } });
  });

  it('lists what is wrong with the settings, exit code 1', async () => {
    const { code, stdout, stderr } = await sealwright(['config', 'print'], { SERVICE__HTTP__PORT: canary });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/SERVICE__APPLICATION_URL: found nothing/);
    expect(stderr).toMatch(/SERVICE__HTTP__PORT: found a text of 13 characters/);
    expect(stderr).not.toContain(canary);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('a database that cannot be reached', () => {
  it.each([
    ['migrate'],
    ['verify-store'],
    ['keys', 'revoke', 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', '--yes'],
    ['api-keys', 'create', '--name', 'x', '--scope', 'offers:read'],
  ])('is reported by %s in one sentence, exit code 1', async (...words) => {
    const port = await freePort();
    const { code, stdout, stderr } = await sealwright(words, {
      ...production,
      SERVICE__EVENT_STORE__CONNECTION_STRING: `postgresql://sealwright:${canary}@127.0.0.1:${port}/sealwright`,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`The database cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.\n`);
  });
});
