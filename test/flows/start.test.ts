import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { startService } from '../support/service/service';
import { startServiceProcess } from '../support/service/service-process';

const main = join(__dirname, '../../dist/apps/server/src/main.js');

/** Starts the built service with exactly these settings and waits for its end. */
function failingStart(settings: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [main], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      resolve({ code, output });
    });
  });
}

async function anEmptyDatabase(): Promise<Record<string, string>> {
  return {
    SERVICE__PROFILE: 'development',
    SERVICE__APPLICATION_URL: 'http://127.0.0.1:3033',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
  };
}

describe('a start that cannot succeed', () => {
  it('without settings names all that production needs, and how to try it', async () => {
    const { code, output } = await failingStart({});
    expect(code).toBe(1);
    const names = [
      'APPLICATION_URL',
      'EVENT_STORE__CONNECTION_STRING',
      'SECRET_MANAGER__STRONGHOLD_PASSWORD',
      'MANAGEMENT__API_KEYS',
    ];
    for (const name of names) expect(output).toContain(`SERVICE__${name}`);
    expect(output).toContain('npm run start:dev');
    expect(output.trim().split('\n')).toHaveLength(6);
  });

  it('with an unknown event store names the two that exist', async () => {
    const { code, output } = await failingStart({
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__TYPE: 'mongodb',
    });
    expect(code).toBe(1);
    expect(output).toContain('postgres, embedded');
    expect(output).not.toContain('mongodb');
  });

  it('with a database that does not exist names what to correct', async () => {
    const url = new URL(sharedPostgres().url);
    url.pathname = '/nothing';
    const { code, output } = await failingStart({
      SERVICE__PROFILE: 'development',
      SERVICE__APPLICATION_URL: 'http://127.0.0.1:3033',
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: url.href,
    });
    expect(code).toBe(1);
    expect(output).toBe(
      'The database refuses the connection: database "nothing" does not exist\n' +
        'Correct the name of the database in SERVICE__EVENT_STORE__CONNECTION_STRING (what follows the last "/"), or create the database.\n',
    );
  });

  it('with a wrong password says so in one line and does not print it', async () => {
    const settings = await anEmptyDatabase();
    await (await startService(settings)).stop();
    const wrong = { ...settings, SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'certainly-another-one' };
    const { code, output } = await failingStart(wrong);
    expect(code).toBe(1);
    expect(output).toMatch(/password/i);
    expect(output).not.toContain('certainly-another-one');
    expect(
      output
        .trim()
        .split('\n')
        .filter((line) => !line.includes('WARN')),
    ).toHaveLength(1);
  });

  it('that receives a signal while it waits for its database gives the reason once', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const child = spawn(process.execPath, [main], {
      env: {
        SERVICE__PROFILE: 'development',
        SERVICE__APPLICATION_URL: 'http://127.0.0.1:3033',
        SERVICE__EVENT_STORE__TYPE: 'postgres',
        SERVICE__EVENT_STORE__CONNECTION_STRING: `postgres://a:b@127.0.0.1:${(silent.address() as AddressInfo).port}/c`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    await once(silent, 'connection');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    silent.close();
    expect(output).toBe(
      'The database cannot be reached: Connection terminated due to connection timeout\n' +
        'Make the server reachable from this machine (firewall, network policy), or correct host and port in ' +
        'SERVICE__EVENT_STORE__CONNECTION_STRING.\n',
    );
  }, 30_000);

  it('with a metrics port that is in use names the setting', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { code, output } = await failingStart({
      ...(await anEmptyDatabase()),
      SERVICE__METRICS__ENABLED: 'true',
      SERVICE__METRICS__PORT: String(port),
    });
    holder.close();
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} (SERVICE__METRICS__PORT) is in use by another process`);
  });
});

describe('a start on free ports', () => {
  it('prints the ports', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sealwright-start-'));
    const service = await startServiceProcess(join(directory, 'store'), 'http://127.0.0.1:1', {
      SERVICE__EVENT_STORE__TYPE: 'embedded',
      SERVICE__HTTP__PORT: '0',
      SERVICE__MANAGEMENT__PORT: '0',
    });
    try {
      const addresses = service.output().match(/http:\/\/127\.0\.0\.1:\d+\/\S+/g) ?? [];
      expect(addresses.map((address) => new URL(address).pathname)).toEqual([
        '/console',
        '/docs',
        '/v0/credential_configurations',
        '/.well-known/openid-credential-issuer/openid4vci',
      ]);
      expect(new Set(addresses.map((address) => new URL(address).port)).size).toBe(2);
      for (const address of addresses) expect((await fetch(address)).status).toBe(200);
    } finally {
      await service.stop();
      await rm(directory, { recursive: true });
    }
  }, 60_000);

  it('fails when the second one is taken, with the reason', async () => {
    const taken = await startService();
    const { code, output } = await failingStart({
      ...(await anEmptyDatabase()),
      SERVICE__HTTP__PORT: '0',
      SERVICE__MANAGEMENT__PORT: new URL(taken.url).port,
    });
    await taken.stop();
    expect(code).toBe(1);
    const { port } = new URL(taken.url);
    expect(output).toContain(`Port ${port} (SERVICE__MANAGEMENT__PORT) is in use by another process`);
  }, 60_000);
});
