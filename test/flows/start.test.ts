import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { failingStart } from '../support/service/failing-start';
import { startServiceProcess } from '../support/service/service-process';

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
  });
});
