import { CheckpointKeys, KeyRing } from '@app/keys';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, sealwright, sealwrightWith } from '../support/service/command-line';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const password = 'Canary-stronghold-7f3a91';

const postgres = sharedPostgres();
let settings: Record<string, string>;
let service: RunningService;

beforeAll(async () => {
  settings = {
    SERVICE__PROFILE: 'development',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase(),
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: password,
  };
  service = await startService(settings);
});
afterAll(async () => {
  await service.stop();
});

const keys = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, ['keys', ...parameters]);

interface Line {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: string;
  readonly created: string;
}

async function listed(): Promise<Line[]> {
  const { code, stdout, stderr } = await keys('list');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [headings, ...lines] = stdout.trim().split('\n');
  expect(headings?.split(/ {2,}/)).toEqual(['KID', 'ALGORITHM', 'STATE', 'CREATED', 'SIGNER']);
  return lines.map((line) => {
    const [kid = '', algorithm = '', state = '', created = ''] = line.split(/ {2,}/);
    return { kid, algorithm, state, created };
  });
}

async function publishedKids(): Promise<string[]> {
  const { keys: published } = answered(200, await get(`${service.url}/jwks.json`));
  return (published as { readonly kid: string }[]).map(({ kid }) => kid);
}

/** Waits until a running service uses the new keys; fails after the five seconds that are promised. */
async function follows(condition: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('the service has not followed within five seconds');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const activeKid = (): string => service.app.get(KeyRing).activeKey('ES256').kid;

describe('keys', () => {
  it('lists what the service has made', async () => {
    const lines = await listed();
    expect(lines.map(({ algorithm, state }) => [algorithm, state]).sort()).toEqual([
      ['ES256', 'active'],
      ['EdDSA', 'active'],
    ]);
    expect(lines.map(({ kid }) => kid).sort()).toEqual((await publishedKids()).sort());
    for (const { created } of lines) expect(Math.abs(Date.parse(created) - Date.now())).toBeLessThan(120_000);
  });

  it('rotates both, or one by name, and the running service uses the new keys', async () => {
    const before = activeKid();
    const { code, stdout } = await keys('rotate', '--algorithm', 'ES256');
    expect(code).toBe(0);
    await follows(() => activeKid() !== before);
    expect(stdout).toBe(`ES256: ${activeKid()} signs from now on, ${before} is retired.\n`);
    expect(await publishedKids()).toHaveLength(3);
    expect((await keys('rotate')).stdout.trim().split('\n')).toHaveLength(2);
    const states = (await listed()).map(({ algorithm, state }) => `${algorithm} ${state}`);
    expect(states.sort()).toEqual(['ES256 active', 'ES256 retired', 'ES256 retired', 'EdDSA active', 'EdDSA retired']);
    await follows(async () => (await publishedKids()).length === 5);
  });

  it('explains a revocation and does nothing until it is confirmed', async () => {
    const before = await listed();
    const { code, stdout, stderr } = await keys('revoke', activeKid());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/no longer verify.*reissued.*--yes/);
    expect(await listed()).toEqual(before);
  });

  it('revokes the active key: a new one takes its place, in the running service within five seconds', async () => {
    const revoked = activeKid();
    const { code, stdout, stderr } = await keys('revoke', revoked, '--yes');
    const since = performance.now();
    expect(code).toBe(0);
    expect(stderr).toMatch(/Its signatures no longer verify/);
    await follows(async () => activeKid() !== revoked && !(await publishedKids()).includes(revoked));
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(stdout).toBe(`${revoked} is revoked; ${activeKid()} signs with ES256.\n`);
    expect((await listed()).find(({ kid }) => kid === revoked)?.state).toBe('revoked');
    expect(await keys('revoke', revoked, '--yes')).toMatchObject({
      code: 0,
      stdout: `${revoked} is already revoked.\n`,
    });
  });

  it('writes the public keys of checkpoints as a JWK Set, apart from those of credentials', async () => {
    const { code, stdout, stderr } = await keys('checkpoints');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ kid, publicJwk } = { kid: '', publicJwk: {} }] = service.app.get(CheckpointKeys).publicKeys();
    expect(JSON.parse(stdout)).toEqual({ keys: [{ ...publicJwk, kid, use: 'sig', alg: 'EdDSA' }] });
    expect(await publishedKids()).not.toContain(kid);
  });

  it('reports an unknown key, also when its name begins with a dash', async () => {
    const kid = '-zbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
    const { code, stderr } = await keys('revoke', kid, '--yes');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `There is no signing key ${kid}; see "sealwright keys list" and "sealwright certificates list".\n`,
    });
  });

  it('rejects a wrong password, and does not print it', async () => {
    const before = await listed();
    const wrong = { ...settings, SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'Canary-wrong-7f3a91' };
    for (const parameters of [['rotate'], ['revoke', activeKid(), '--yes']]) {
      const { code, stdout, stderr } = await sealwrightWith(wrong, ['keys', ...parameters]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The key store stays locked: .*\n$/);
      expect(stderr).not.toContain('Canary');
    }
    expect(await listed()).toEqual(before);
  });
});

describe('the password of the key store', () => {
  const next = 'Canary-next-password-7f3a91';
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sealwright-cli-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function changeTo(password: string, stood = settings): Promise<Ran> {
    const file = join(directory, 'password');
    await writeFile(file, password);
    return sealwrightWith(stood, ['keys', 'password', '--file', file]);
  }

  it.each([
    ['', 'nothing'],
    ['short\n', 'a shorter string'],
    ['development-only', 'a sample password'],
    ['aaaaaaaaaaaaaaaa', 'a sample password'],
    [`${password}\n`, 'the same as the old one'],
  ])('is not changed to %j', async (weak, said) => {
    const { code, stdout, stderr } = await changeTo(weak);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`The new password is ${said}`);
    expect(stderr).not.toContain('Canary');
  });

  it('changes while the service runs: it goes on, and later starts need the new password', async () => {
    const wrong = { ...settings, SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'Canary-wrong-7f3a91' };
    expect(await changeTo(next, wrong)).toMatchObject({ code: 1, stdout: '' });
    expect(await changeTo(`${next}\n`)).toMatchObject({ code: 0, stdout: 'The password is changed.\n' });

    const old = await keys('rotate');
    expect(old.code).toBe(1);
    expect(old.stderr).toMatch(/^The key store stays locked/);
    await expect(startService(settings)).rejects.toThrow('The key store stays locked');
    const before = activeKid();
    const changed = { ...settings, SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: next };
    expect((await sealwrightWith(changed, ['keys', 'rotate'])).code).toBe(0);
    await follows(() => activeKid() !== before);
    const restarted = await startService(changed);
    expect(restarted.app.get(KeyRing).publicKeys()).toEqual(service.app.get(KeyRing).publicKeys());
    await restarted.stop();
  });
});

describe('keys of an embedded store', () => {
  it('are locked while the service runs, as the message says, and can be rotated when it has stopped', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sealwright-cli-'));
    const embedded = {
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store'),
    };
    const away = await sealwrightWith(embedded, ['keys', 'list']);
    expect(away).toMatchObject({ code: 1, stdout: '' });
    expect(away.stderr).toMatch(/^There is no embedded database in .*: start the service once, or run/);

    const running = await startService(embedded);
    const old = running.app.get(KeyRing).activeKey('EdDSA').kid;
    const locked = await sealwright(['keys', 'rotate'], embedded, directory);
    expect(locked).toMatchObject({ code: 1, stdout: '' });
    expect(locked.stderr).toMatch(/^The embedded database in .* is in use by process \d+ on .*: stop it first, .*\n$/);
    await running.stop();

    const { code, stdout } = await sealwrightWith(embedded, ['keys', 'rotate', '--algorithm', 'EdDSA']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^EdDSA: .* signs from now on, ${old} is retired\\.\n$`));

    const rewrapped = await sealwrightWith(embedded, ['keys', 'rewrap']);
    expect(rewrapped).toMatchObject({
      code: 0,
      stdout: 'A new root key is active, with 0 data keys sealed under it.\n',
    });
    expect(rewrapped.stderr).toMatch(
      /^Waiting for running replicas .*\n.* is active.*\n.*second pass.*\n.* no longer opens anything\.\n$/,
    );
    expect((await sealwright(['keys', 'rotate'], embedded, directory)).code).toBe(0);
    await rm(directory, { recursive: true });
  });
});
