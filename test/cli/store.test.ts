import { ApiKeyRecords, ApiKeys } from '@app/access';
import { EventStore, lastCheckpoint, openDriver, partitionsOf, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { openCheckingKeys, openProofKeys } from '@app/keys';
import { userInfo, tmpdir } from 'node:os';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registerAggregates } from '../../apps/cli/src/aggregates';
import { PositionFile } from '../../apps/cli/src/position-file';
import { eventually } from '../event-store/accounts';
import { type Ran, sealwright, sealwrightWith } from '../support/service/command-line';
import { sharedPostgres } from '../support/database/postgres';
import { get, type Json } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { asOwner } from '../support/database/service-role';

const operator = `cli:${userInfo().username}`;
const shipped = readdirSync(join(__dirname, '../../libs/event-store/src/migrations')).length;

const postgres = sharedPostgres();

async function freshSettings(): Promise<Record<string, string>> {
  return {
    SERVICE__PROFILE: 'development',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase(),
  };
}

describe('on an empty database', () => {
  it('migrate creates the tables, says so, and has nothing to do the second time; other commands need it first', async () => {
    const settings = await freshSettings();
    for (const command of [['keys', 'list'], ['verify-store'], ['rebuild'], ['api-keys', 'list']]) {
      expect(await sealwrightWith(settings, command)).toEqual({
        code: 1,
        stdout: '',
        stderr: `The database has no tables and this release needs version ${shipped}: run "sealwright migrate" first.\n`,
      });
    }
    const migrated = await sealwright(['migrate'], settings);
    expect(migrated).toEqual({ code: 0, stdout: `The tables went from version 0 to ${shipped}.\n`, stderr: '' });
    const again = await sealwrightWith(settings, ['migrate']);
    expect(again.stdout).toBe(`The tables already have version ${shipped}; nothing to do.\n`);
    expect((await sealwrightWith(settings, ['keys', 'list'])).stdout.trim().split('\n')).toHaveLength(1);
    expect(await sealwrightWith(settings, ['keys', 'rotate'])).toMatchObject({
      code: 1,
      stderr: 'The database holds no keys yet: they are made when the service starts for the first time.\n',
    });
    const owner = await openDriver({
      type: 'postgres',
      connectionString: String(settings['SERVICE__EVENT_STORE__CONNECTION_STRING']),
    });
    const rows = await owner.query<{ written: string }>({
      name: 'migrations-audited',
      text: `select concat_ws(' ', principal, action, outcome) as written from audit where action = 'migrate' order by recorded_at`,
      values: [],
    });
    await owner.close();
    // There was no audit before the first.
    const endings = ['ok', 'started', 'ok'].map((outcome) => `${operator} migrate ${outcome}`);
    expect(rows.map(({ written }) => written)).toEqual(endings);
    expect((await sealwrightWith(settings, ['verify-store'])).stdout).toMatch(/^Verified 0 streams, 0 events/);
  });
});

describe('tables in partitions', () => {
  it('are made by migrate, once, and everything works on them', async () => {
    const settings = await freshSettings();
    expect(await sealwrightWith(settings, ['migrate', '--partitions', 'many'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Choose from 2 to 256 partitions; 16 suit most.\n',
    });
    // What was refused has changed nothing: there are no tables yet.
    expect(await sealwrightWith(settings, ['migrate', '--partitions', '4'])).toEqual({
      code: 0,
      stdout:
        `The tables went from version 0 to ${shipped}.\nThe tables that grow now have 4 partitions each.\n` +
        'Copied 0 rows. Grant the rights of the service\'s role again: "sealwright grants".\n',
      stderr: '',
    });
    expect((await sealwrightWith(settings, ['migrate', '--partitions', '4'])).stdout).toMatch(
      / have 4 partitions each\.\n$/,
    );
    expect(await sealwrightWith(settings, ['migrate', '--partitions', '8'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The tables have 4 partitions already, /) as string,
    });
    const service = await startService(settings);
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const { offerId } = await prepareOffer(service.url, [await publishedTemplate(service.url)]);
    const again = { method: 'POST', headers, body: JSON.stringify({ offerId: randomUUID() }) };
    const answers = [await fetch(`${service.url}/v0/offers`, again), await fetch(`${service.url}/v0/offers`, again)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect((await get(`${service.url}/v0/credentials?offerId=${offerId}`)).json['items']).toHaveLength(1);
    expect(await sealwrightWith(settings, ['migrate', '--partitions', '4'])).toMatchObject({ code: 0 });
    await service.stop();
    expect((await sealwright(['verify-store', '--parallel', '2'], settings)).stdout).toContain(
      'everything is as it was written',
    );
    expect((await sealwrightWith(settings, ['rebuild'])).stdout).toMatch(/; 0 differed\.\n$/);
  });
});

describe('a role for the service', () => {
  it('gets its rights from grants, which prints the SQL first and rejects unknown roles', async () => {
    const settings = await freshSettings();
    const owner = String(settings['SERVICE__EVENT_STORE__CONNECTION_STRING']);
    await sealwrightWith(settings, ['migrate']);
    const role = `Town "hall" ${Date.now()}`;
    const quotedRole = `"${role.replaceAll('"', '""')}"`;
    expect(await sealwrightWith(settings, ['grants', '--role', role])).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no role ${quotedRole}: create it with  create role ${quotedRole} login password '...';  and repeat this.\n`,
    });
    await asOwner(owner, `create role ${quotedRole} login password 'app'`);
    const { code, stdout } = await sealwrightWith(settings, ['grants', '--role', role]);
    expect(code).toBe(0);
    expect(stdout).toContain(`\ngrant select, insert on "public".events to ${quotedRole};\n`);
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => /^(grant|revoke) .*;$/.test(line)),
    ).toBe(true);

    const asRole = new URL(owner);
    asRole.username = role;
    asRole.password = 'app';
    const own = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: asRole.href };
    await asOwner(
      owner,
      `grant select on schema_migrations to ${quotedRole}; grant select, insert on audit to ${quotedRole}`,
    );
    expect(await sealwrightWith(own, ['grants', '--role', role, '--apply'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Only the owner of the tables can grant rights on them') as string,
    });
    const applied = {
      code: 0,
      stdout: `The role ${quotedRole} can do what the service does, and cannot change history by it.\n`,
      stderr: '',
    };
    expect(await sealwrightWith(settings, ['grants', '--role', role, '--apply'])).toEqual(applied);
    await asOwner(owner, `drop owned by ${quotedRole}; drop role ${quotedRole}`);
  });
});

describe('in production, before the first start', () => {
  it('the tables and the first API key are created although no caller has credentials yet', async () => {
    const settings = {
      SERVICE__PROFILE: 'production',
      SERVICE__APPLICATION_URL: 'https://issuer.invalid',
      SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase(),
      SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'Canary-stronghold-7f3a91',
    };
    const access = async (): Promise<unknown> => {
      const { stdout } = await sealwrightWith(settings, ['doctor', '--json']);
      const { findings } = JSON.parse(stdout) as { findings: { check: string; outcome: string; found: string }[] };
      return findings.find(({ check }) => check === 'access');
    };
    expect((await sealwrightWith(settings, ['migrate'])).code).toBe(0);
    expect(await access()).toMatchObject({ outcome: 'fail', found: 'the management API has no credential' });
    const created = await sealwright(['api-keys', 'create', '--name', 'portal', '--scope', 'offers:write'], settings);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^swk_/) as string });
    expect(await access()).toMatchObject({ outcome: 'ok', found: 'API keys in the database' });
  });
});

describe('while a service runs', () => {
  let settings: Record<string, string>;
  let service: RunningService;
  let driver: SqlDriver;
  const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, parameters);

  beforeAll(async () => {
    settings = await freshSettings();
    service = await startService(settings);
    driver = service.app.get<SqlDriver>(SQL_DRIVER);
    await prepareOffer(service.url, [await publishedTemplate(service.url)]);
  });
  afterAll(() => service.stop());

  it('folds every kind of stream that the service writes', () => {
    const kinds = (store: unknown): string[] => [
      ...(Reflect.get(store as object, 'aggregates') as Map<string, unknown>).keys(),
    ];
    const store = new EventStore(driver);
    registerAggregates(store);
    expect(kinds(store).sort()).toEqual(kinds(service.app.get(EventStore)).sort());
  });

  it('verify-store finds nothing; after tampering it lists the streams, and rebuild repairs them', async () => {
    const fine = await run('verify-store');
    expect(fine).toMatchObject({ code: 0, stderr: '' });
    expect(fine.stdout).toMatch(
      /^Verified \d+ streams, \d+ events, \d+ used values? and \d+ checkpoints?: everything is as it was written\.\n/,
    );
    const rows = await driver.query<{ stream_id: string }>({
      name: 'tamper',
      text: `update streams set state = state || '{"status": "tampered"}' where category = 'offer' returning stream_id`,
      values: [],
    });
    const streams = rows.map(({ stream_id }) => `${stream_id}\n`).join('');
    expect(streams).not.toBe('');
    const faults = streams.replaceAll('\n', ': its stored state differs from its events (state)\n');
    const found = await run('verify-store');
    expect(found).toMatchObject({ code: 1, stdout: faults });
    expect(found.stderr).toMatch(
      /^Verified .*: 1 finding\. "sealwright rebuild" repairs states, status lists and missing used values; .*\n$/,
    );
    const rebuilt = await run('rebuild');
    expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
    expect(rebuilt.stdout).toMatch(/^Folded \d+ states from \d+ events; 1 differed\.\n/);
    expect(rebuilt.stdout).toContain(streams);
    expect((await run('verify-store')).code).toBe(0);
    expect((await run('rebuild')).stdout).toMatch(/; 0 differed\.\n$/);
  });

  it('migrate --partitions leaves the tables alone for as long as the service has connections', async () => {
    expect(await sealwright(['migrate', '--partitions', '4'], settings)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The service has connections to this database \(\d+\): stop all replicas/,
      ) as string,
    });
    expect(await partitionsOf(driver)).toEqual([]);
  });

  describe('with threads, and interrupted', () => {
    let directory: string;
    let file: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'sealwright-position-'));
      file = join(directory, 'position');
    });
    afterAll(() => rm(directory, { recursive: true }));

    it('verify-store and rebuild say the same with threads as without', async () => {
      for (const command of ['verify-store', 'rebuild']) {
        const alone = await run(command, '--parallel', '1');
        expect(alone.code).toBe(0);
        const { code, stdout } = await sealwright([command, '--parallel', '2'], settings);
        expect({ code, stdout }).toEqual({ code: alone.code, stdout: alone.stdout });
      }
      expect(await run('rebuild', '--parallel', 'many')).toMatchObject({
        code: 2,
        stderr: '--parallel is a number of threads from 1 to 99. See --help.\n',
      });
    });

    it('verify-store goes on behind the position that a run before has noted, and forgets it when it is done', async () => {
      const keys = await openCheckingKeys(driver, 'development-only');
      const checkpoint = await lastCheckpoint(driver);
      const noted = await PositionFile.open(file, keys, { command: 'verify-store', checkpoint });
      const findings = [{ subject: 'offer-1', fault: 'was found before the interruption' }];
      const before = { streams: 2, events: 3, differing: [], restored: 0 };
      noted.note({ ...before, after: 'offer-', findings: [] });
      await eventually(() => existsSync(file));
      const resumed = await run('verify-store', '--resume', file);
      expect(resumed).toMatchObject({ code: 0, stderr: '' });
      expect(resumed.stdout).toMatch(/\n3 events of them in a run that began at 20\S+Z\.\n/);
      expect(existsSync(file)).toBe(false);
      expect((await run('verify-store', '--resume', file)).stdout).not.toContain('in a run that began');

      const again = await PositionFile.open(file, keys, { command: 'verify-store', checkpoint });
      again.note({ ...before, after: 'offer-', findings });
      await eventually(() => existsSync(file));
      expect(await run('verify-store', '--resume', file)).toMatchObject({
        code: 1,
        stdout: 'offer-1: was found before the interruption\n',
        stderr: expect.stringContaining(': 1 finding. ') as string,
      });
    });

    it('a position that cannot be noted is rejected before the work begins', async () => {
      expect(await run('verify-store', '--resume', join(directory, 'missing', 'position'))).toEqual({
        code: 2,
        stdout: '',
        stderr: 'The file of --resume cannot be written (ENOENT). See --help.\n',
      });
    });

    it('a position that was changed, or is of another command, is rejected and stays', async () => {
      const keys = await openCheckingKeys(driver, 'development-only');
      const noted = await PositionFile.open(file, keys, { command: 'rebuild', checkpoint: undefined });
      noted.note({ after: 'offer-', streams: 0, events: 0, differing: [], restored: 0, findings: [] });
      await eventually(() => existsSync(file));
      expect(await run('verify-store', '--resume', file)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('was written by "sealwright rebuild"') as string,
      });
      await writeFile(file, (await readFile(file, 'utf8')).replace('offer-', 'zzz-'));
      expect(await run('rebuild', '--resume', file)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('is no position that this command wrote for this database') as string,
      });
      expect(existsSync(file)).toBe(true);
    });
  });

  it('api-keys create writes only the key to stdout, list shows everything but the key, revoke invalidates it', async () => {
    const scopes = ['--scope', 'offers:write', '--scope', 'offers:read'];
    const created = await run('api-keys', 'create', '--name', 'town hall', ...scopes, '--expires', 'P90D');
    expect(created.code).toBe(0);
    expect(created.stdout).toMatch(/^swk_\w+\n$/);
    const text = created.stdout.trim();
    const id = text.split('_')[1] ?? '';
    expect(created.stderr).toMatch(
      new RegExp(
        `^Key ${id} for town hall, of the client town-hall, with offers:read, offers:write, until 20.*Save it now`,
      ),
    );
    expect(created.stderr).not.toContain(text);
    const keys = new ApiKeys(new ApiKeyRecords(driver, await openProofKeys(driver, 'development-only')));
    expect(await keys.verify(text)).toEqual({
      accepted: true,
      keyId: id,
      client: 'town-hall',
      scopes: ['offers:read', 'offers:write'],
    });

    const { stdout } = await run('api-keys', 'list');
    expect(stdout).toMatch(new RegExp(`^${id}  live  .*town-hall  offers:read,offers:write  town hall$`, 'm'));
    expect(stdout).not.toContain(text);

    expect((await run('api-keys', 'revoke', id)).stdout).toMatch(new RegExp(`^Key ${id} \\(town hall\\) is revoked`));
    expect((await run('api-keys', 'list')).stdout).toMatch(new RegExp(`^${id}  revoked `, 'm'));
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await keys.verify(text)).toMatchObject({ accepted: false, reason: 'key-revoked' });
    expect(await run('api-keys', 'revoke', 'nobody00')).toMatchObject({
      code: 1,
      stderr: 'There is no API key nobody00; see "sealwright api-keys list".\n',
    });
    expect(await run('api-keys', 'create', '--name', 'x', ...scopes, '--expires', '2020-01-01')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Choose an expiry in the future. See --help.\n',
    });
  });

  it('leaves audit rows with who ran what and its outcome, and no key', async () => {
    const { json, text } = await get(`${service.url}/v0/audit?principal=${encodeURIComponent(operator)}&limit=100`);
    const rows = json['items'] as Json[];
    const written = rows.toReversed().map(({ action, object, outcome }) => [action, object, outcome].join(' '));
    const id = String(rows.find(({ action, outcome }) => action === 'api-keys.create' && outcome === 'ok')?.['object']);
    expect(written.slice(0, 6)).toEqual([
      ...['verify-store  started', 'verify-store  ok', 'verify-store  started', 'verify-store  failed'],
      ...['rebuild  started', 'rebuild  ok'],
    ]);
    expect(written.slice(-8)).toEqual([
      ...['api-keys.create  started', `api-keys.create ${id} ok`],
      ...[`api-keys.revoke ${id} started`, `api-keys.revoke ${id} ok`],
      ...['api-keys.revoke nobody00 started', 'api-keys.revoke nobody00 failed'],
      ...['api-keys.create  started', 'api-keys.create  refused'],
    ]);
    expect(rows.every(({ client, requestId }) => client === null && requestId === null)).toBe(true);
    expect(text).not.toContain('swk_');
  });

  it('does nothing that it cannot record in the audit', async () => {
    const alter = (text: string) => driver.transaction((tx) => tx.script(text));
    await alter('alter table audit rename to audit_gone');
    try {
      const created = await run('api-keys', 'create', '--name', 'unrecorded', '--scope', 'offers:read');
      expect(created).toMatchObject({ code: 1, stdout: '' });
      expect(created.stderr).toMatch(/^Nothing was done, because it cannot be recorded in the audit\. .*audit.*doctor/);
    } finally {
      await alter('alter table audit_gone rename to audit');
    }
    const keys = await driver.query({
      name: 'unrecorded',
      text: `select 1 as one from api_keys where name = 'unrecorded'`,
      values: [],
    });
    expect(keys).toEqual([]);
  });
});
