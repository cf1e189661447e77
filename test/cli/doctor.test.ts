import { EventStoreModule } from '@app/event-store';
import { KeyRing, KeysModule } from '@app/keys';
import { Test } from '@nestjs/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { sealwright, sealwrightWith } from '../support/service/command-line';
import { examine } from '../support/service/examination';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { type RunningService, freePort, startService } from '../support/service/service';
import { asOwner, asServiceRole } from '../support/database/service-role';

const canary = 'Canary-stronghold-7f3a91';

let postgres: TestPostgres;
let database: string;
/** Where the service stores its data, with everything else that the command line reads. */
let stored: Record<string, string>;
let settings: Record<string, string>;
let service: RunningService;

beforeAll(async () => {
  // As in production: nothing is acknowledged before it is on disk.
  postgres = await startPostgres({ fsync: true });
  database = await postgres.createDatabase();
  stored = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: canary,
  };
  service = await startService(stored);
  settings = {
    ...stored,
    SERVICE__PROFILE: 'development',
    SERVICE__APPLICATION_URL: service.url,
    SERVICE__HTTP__PORT: new URL(service.url).port,
  };
});
afterAll(async () => {
  await service.stop();
  await postgres.stop();
});

const documents = [
  'issuer metadata, inserted',
  'issuer metadata, appended',
  'OAuth metadata, inserted',
  'OAuth metadata, appended',
  'OpenID configuration, inserted',
  'OpenID configuration, appended',
  'JWT VC issuer metadata',
  'DID document',
  'jwks.json',
];

describe('the doctor of a healthy service', () => {
  it('passes every check, but warns that a loopback address serves this machine only', async () => {
    const { ok, findings, of } = await examine(settings, tmpdir());
    expect(ok).toBe(true);
    expect(findings.filter(({ outcome }) => outcome !== 'ok').map(({ check }) => check)).toEqual(['public URL']);
    const rest = [
      'database',
      'writes',
      'migrations',
      'rights',
      'durability',
      'clock',
      'connections',
      'erasure keys',
      'erasures',
      'status lists',
      'stored data',
      'webhooks',
      'signing keys',
      // Those of requests, and of documents.
      'certificates',
      'certificates',
      'access',
      'trust',
      'registration',
      'wallets',
      'login',
      'mail',
      'access tokens',
      'metrics',
    ];
    expect(findings.map(({ check }) => check)).toEqual(['settings', 'public URL', 'reachable', ...documents, ...rest]);
    expect(of('durability')?.found).toBe('fsync=on, synchronous_commit=on, full_page_writes=on');
    const ring = service.app.get(KeyRing);
    for (const algorithm of ['ES256', 'EdDSA'] as const) {
      expect(of('signing keys')?.found).toContain(`${algorithm} ${ring.activeKey(algorithm).kid}`);
    }
  });

  it('also prints lines for people', async () => {
    const { code, stdout, stderr } = await sealwright(['doctor'], settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok {4}settings +valid, development profile\nwarn {2}public URL +http/);
    expect(stdout).toMatch(/\n +Set SERVICE__APPLICATION_URL to an address that wallets can reach\.\n/);
    expect(stdout).toMatch(/\n34 ok, 1 warn, 0 fail\n$/);
    expect(stdout).not.toContain('Canary');
  });
});

describe('the doctor finds', () => {
  it('settings that are wrong, one by one', async () => {
    const { failed, findings } = await examine(
      { SERVICE__HTTP__PORT: 'Canary', SERVICE__PROFIL: 'production' },
      tmpdir(),
    );
    expect(new Set(failed)).toEqual(new Set(['settings']));
    const found = findings.map((finding) => finding.found).join('\n');
    for (const name of ['HTTP__PORT', 'PROFIL', 'APPLICATION_URL']) expect(found).toContain(`SERVICE__${name}: found`);
  });

  it('a public URL that does not answer, and still runs the other checks', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { failed, of } = await examine({ ...settings, SERVICE__APPLICATION_URL: url }, tmpdir());
    expect(failed).toEqual(['reachable']);
    expect(of('reachable')?.found).toMatch(/ECONNREFUSED/);
    expect(of('signing keys')?.outcome).toBe('ok');
  });

  it('a public URL whose name does not resolve', async () => {
    const { failed } = await examine({ ...settings, SERVICE__APPLICATION_URL: 'https://nowhere.invalid' });
    expect(failed).toEqual(['public URL', 'reachable']);
  });

  it('a public URL on loopback in production', async () => {
    const { of } = await examine({
      ...settings,
      SERVICE__PROFILE: 'production',
      SERVICE__APPLICATION_URL: 'https://localhost',
    });
    expect(of('public URL')?.outcome).toBe('fail');
  });

  it('the password of another key store', async () => {
    const wrong = { ...settings, SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'Canary-wrong-7f3a91' };
    const { failed, of } = await examine(wrong);
    expect(failed).toEqual(['signing keys']);
    expect(of('signing keys')).toMatchObject({
      found: 'SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD does not open the key store',
      remedy: 'Set it to the password of the first start.',
    });
  });

  it('a password that "keys password" has replaced: when that was, and by whom', async () => {
    const other = { ...stored, SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase() };
    await (await startService(other)).stop();
    const own = { ...settings, ...other };
    const directory = await mkdtemp(join(tmpdir(), 'sealwright-cli-'));
    const file = join(directory, 'password');
    await writeFile(file, 'Canary-replaced-7f3a91\n', { mode: 0o600 });
    const before = Date.now();
    expect(await sealwrightWith(own, ['keys', 'password', '--file', file])).toMatchObject({ code: 0 });
    const remedy = (await examine(own)).of('signing keys')?.remedy;
    const [, at = '', user] =
      /^The password was changed at (\S+) with "sealwright keys password" \(cli:(.+)\): set it to the one/.exec(
        remedy ?? '',
      ) ?? [];
    expect(Date.parse(at)).toBeGreaterThan(before - 60_000);
    expect(user).toBe(userInfo().username);
    await rm(directory, { recursive: true });
  });

  it('a public URL that reaches a service on another database', async () => {
    const other = await postgres.createDatabase();
    await sealwrightWith({ ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: other }, ['migrate']);
    const elsewhere = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: other };
    const fresh = await examine(elsewhere);
    expect(fresh.of('signing keys')).toMatchObject({ outcome: 'warn', found: 'none yet' });
    await (await startService({ ...stored, SERVICE__EVENT_STORE__CONNECTION_STRING: other })).stop();
    const { failed, of } = await examine(elsewhere);
    expect(failed).toEqual(['signing keys']);
    expect(of('signing keys')?.found).toMatch(/^jwks\.json at the public URL does not list [\w-]{43} and [\w-]{43}$/);
  });

  it('tables that are not there yet', async () => {
    const empty = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase() };
    const { failed, of } = await examine(empty);
    expect(failed).toEqual(['migrations']);
    expect(of('migrations')?.remedy).toContain('sealwright migrate');
  });

  it('keys that have no proofs yet, after a first start that was interrupted', async () => {
    const connectionString = await postgres.createDatabase();
    const before = await Test.createTestingModule({
      imports: [
        EventStoreModule.forRootAsync({ useFactory: () => ({ type: 'postgres', connectionString }) }),
        KeysModule.forRootAsync({ useFactory: () => canary }),
      ],
    }).compile();
    await before.close();
    await asOwner(
      connectionString,
      `delete from key_store where purpose in ('proof', 'checkpoint'); update key_store set proof = null`,
    );
    const interrupted = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: connectionString };
    const { of } = await examine(interrupted);
    expect(of('signing keys')).toMatchObject({ outcome: 'warn', found: 'without proofs yet' });
    expect(await sealwrightWith(interrupted, ['keys', 'rotate'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The keys have no proofs yet: start the service once, and repeat the command.\n',
    });
  });

  it('rights that the role of the service lacks, and how to grant them', async () => {
    const owner = await postgres.createDatabase();
    const connection = await asServiceRole(owner);
    const role = new URL(connection).username;
    const asRole = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: connection };
    expect((await examine(asRole)).of('rights')).toMatchObject({
      outcome: 'ok',
      found: `the role "${role}" can do what the service does and cannot change history`,
    });
    await asOwner(owner, `revoke delete on rate_limits, consumed from ${role}`);
    await asOwner(owner, `revoke insert on audit from ${role}`);
    await asOwner(owner, `revoke execute on function remove_old_audit(integer) from ${role}`);
    const remedy = `sealwright grants --role '${role}' --apply`;
    expect((await examine(asRole)).of('rights')).toMatchObject({
      outcome: 'fail',
      found:
        `the role "${role}" lacks delete on consumed, delete on rate_limits, insert on audit, ` +
        'execute on remove_old_audit(integer)',
      remedy: `As the owner of the tables: ${remedy}`,
    });
    const asIs = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: owner };
    expect(await sealwrightWith(asIs, remedy.replaceAll("'", '').split(' ').slice(1))).toMatchObject({ code: 0 });
  });

  it('a database that acknowledges before it writes, and one that has few connections left', async () => {
    const lax = await postgres.createDatabase();
    const name = new URL(lax).pathname.slice(1);
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`alter database ${name} set synchronous_commit = off`);
    const { rows } = await client.query<{ free: number }>(
      `select current_setting('max_connections')::integer - sum(numbackends)::integer as free from pg_stat_database`,
    );
    const greedy = Array.from({ length: (rows[0]?.free ?? 0) - 9 }, () => new Client({ connectionString: lax }));
    for (const each of greedy) await each.connect();
    const { failed, of } = await examine({ ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: lax });
    await Promise.all([client, ...greedy].map((each) => each.end()));
    expect(failed).toEqual(['migrations', 'durability']);
    expect(of('durability')?.remedy).toMatch(/^Turn synchronous_commit on/);
    expect(of('connections')).toMatchObject({ outcome: 'warn', found: expect.stringMatching(/^\d of/) as string });
  });

  it('a database that is down, without printing its password', async () => {
    const url = new URL(database);
    url.port = String(await freePort());
    url.password = 'Canary';
    const { failed, of } = await examine({ ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: url.href });
    expect(failed).toEqual(['database']);
    expect(of('database')?.found).toContain('ECONNREFUSED');
    expect(of('jwks.json')?.outcome).toBe('ok');
  });

  it('an embedded database that the service has locked, which is no fault', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sealwright-cli-'));
    const embedded = {
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store'),
    };
    const running = await startService(embedded);
    const beside = { ...embedded, SERVICE__APPLICATION_URL: running.url };
    const { ok, of } = await examine(beside, directory);
    expect(ok).toBe(true);
    expect(of('database')).toMatchObject({
      outcome: 'warn',
      found: expect.stringContaining('in use by process') as string,
    });
    await running.stop();
    const { failed, of: alone } = await examine(beside, directory);
    expect(failed).toEqual(['reachable']);
    expect(alone('database')?.found).toMatch(/^embedded PostgreSQL/);
    expect(alone('signing keys')?.outcome).toBe('ok');
    await rm(directory, { recursive: true });
  });

  it('a metrics port that does not answer, or that the service itself uses', async () => {
    const port = await freePort();
    const enabled = { ...settings, SERVICE__METRICS__ENABLED: 'true' };
    expect((await examine({ ...enabled, SERVICE__METRICS__PORT: String(port) })).of('metrics')).toMatchObject({
      outcome: 'warn',
      found: expect.stringContaining(`http://127.0.0.1:${port}/metrics does not answer`) as string,
    });
    const same = String(settings['SERVICE__HTTP__PORT']);
    expect((await examine({ ...enabled, SERVICE__METRICS__PORT: same })).of('metrics')?.outcome).toBe('fail');
  });
});

describe('behind a proxy', () => {
  let behind: RunningService;
  let proxy: Server;
  let publicUrl: string;
  /** What the proxy does to a path; undefined answers 404 itself. */
  let rewrite: (path: string) => string | undefined;
  let contentType: string | undefined;

  beforeAll(async () => {
    const port = await freePort();
    publicUrl = `http://127.0.0.1:${port}/base`;
    behind = await startService({ ...stored, SERVICE__APPLICATION_URL: publicUrl });
    proxy = createServer((request, response) => {
      const path = rewrite(request.url ?? '');
      if (path === undefined) {
        response.writeHead(404).end();
        return;
      }
      void fetch(behind.url + path).then(async (answer) => {
        const type = contentType ?? answer.headers.get('content-type') ?? '';
        response.writeHead(answer.status, { 'Content-Type': type }).end(await answer.text());
      });
    });
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    rewrite = (path) => path;
    contentType = undefined;
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await behind.stop();
  });
  const look = () => examine({ ...settings, SERVICE__APPLICATION_URL: publicUrl });

  it('that forwards every path, all documents are found', async () => {
    expect((await look()).failed).toEqual([]);
  });

  it('that forwards only the path of the service, the documents with an inserted path are missing', async () => {
    rewrite = (path) => (path.startsWith('/base/') ? path : undefined);
    const { failed, of } = await look();
    expect(failed).toEqual([
      'issuer metadata, inserted',
      'OAuth metadata, inserted',
      'OpenID configuration, inserted',
      'JWT VC issuer metadata',
    ]);
    expect(of('issuer metadata, inserted')).toMatchObject({
      found: expect.stringMatching(
        /\/\.well-known\/openid-credential-issuer\/base\/openid4vci cannot be fetched: .*404/,
      ) as string,
      remedy: expect.stringContaining('pass /.well-known/openid-credential-issuer/base/openid4vci on') as string,
    });
  });

  it('that strips paths, the documents that need them are missing', async () => {
    rewrite = (path) =>
      path.replace(/^.*(?=\/\.well-known\/|\/livez|\/jwks|\/did)/, '').replace(/^(\/\.well-known\/[^/]+).*/, '$1');
    expect((await look()).failed).toHaveLength(7);
  });

  it('that changes content types, each document is reported with the type it has', async () => {
    contentType = 'text/html';
    const { failed, of } = await look();
    expect(failed).toEqual(documents);
    expect(of('jwks.json')?.found).toContain('has the content type text/html and not application/json');
  });

  it('that reaches a service with another public URL, the documents are reported', async () => {
    rewrite = (path) => path;
    const { failed, of } = await examine({ ...settings, SERVICE__APPLICATION_URL: behind.url });
    expect(failed).toEqual(documents.filter((name) => name !== 'jwks.json'));
    expect(of('DID document')?.found).toMatch(/belongs to another service: id is not did:web:127\.0\.0\.1%3A\d+$/);
  });
});
