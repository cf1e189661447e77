import { ApiKeys } from '@app/access';
import { openDriver } from '@app/event-store';
import type { INestApplication } from '@nestjs/common';
import { createServer } from '../../apps/server/src/http';
import { sharedPostgres } from '../support/database/postgres';

const refusal =
  'The settings have a fault:\n  SERVICE__MANAGEMENT__API_KEYS: found nothing; give a key, or set ' +
  'SERVICE__MANAGEMENT__JWKS_URL, or create a key with `sealwright api-keys create`';

describe('a start in production', () => {
  const postgres = sharedPostgres();
  let database: string;
  beforeAll(async () => {
    database = await postgres.createDatabase();
  });

  const create = (settings: Record<string, string>): Promise<INestApplication> =>
    createServer({
      logger: false,
      environment: {
        SERVICE__APPLICATION_URL: 'https://issuer.example.com',
        SERVICE__EVENT_STORE__CONNECTION_STRING: database,
        SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'a-password-of-this-test',
        ...settings,
      },
    });

  async function start(settings: Record<string, string> = {}): Promise<void> {
    await (await create(settings)).close();
  }

  const tokens = {
    SERVICE__MANAGEMENT__JWKS_URL: 'https://login.example/keys',
    SERVICE__MANAGEMENT__ISSUER: 'https://login.example',
    SERVICE__MANAGEMENT__AUDIENCE: 'https://issuer.example.com',
  };

  it('is refused without any credentials configured, and leaves no listener open', async () => {
    await expect(start()).rejects.toThrow(refusal);
    const driver = await openDriver({ type: 'postgres', connectionString: database });
    const others = await driver.query<{ pid: number }>({
      name: 'test-connections',
      text: `select pid from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      values: [],
    });
    await driver.close();
    expect(others).toEqual([]);
  });

  it('names the missing key together with all other faults', async () => {
    await expect(start({ SERVICE__APPLICATION_URL: 'http://issuer.example.com' })).rejects.toThrow(
      /have 2 faults:\n {2}SERVICE__APPLICATION_URL: .*\n {2}SERVICE__MANAGEMENT__API_KEYS: found nothing;/,
    );
  });

  it.each([
    ['a key in the settings', { SERVICE__MANAGEMENT__API_KEYS: 'portal-key-0f3c91b7' }],
    ['the keys of access tokens', tokens],
    ['both', { SERVICE__MANAGEMENT__API_KEYS: 'portal-key-0f3c91b7', ...tokens }],
  ])('succeeds with %s', async (_what, settings) => {
    await start(settings);
  });

  it('succeeds as long as a key in the database is live', async () => {
    const app = await create({ SERVICE__MANAGEMENT__API_KEYS: 'portal-key-0f3c91b7' });
    const keys = app.get(ApiKeys);
    const { id } = await keys.create({ name: 'portal', scopes: ['offers:write'] });
    await start();
    await keys.revoke(id);
    await expect(start()).rejects.toThrow(refusal);
    await app.close();
  });

  it.each([
    ['a sample key', { SERVICE__MANAGEMENT__API_KEYS: 'development-only' }, 'API_KEYS: found a sample key'],
    ['a short key', { SERVICE__MANAGEMENT__API_KEYS: 'fifteen-letters' }, 'give each key 16 characters or more'],
    [
      'an http URL of keys',
      { ...tokens, SERVICE__MANAGEMENT__JWKS_URL: 'http://login.example/keys' },
      'found an http URL',
    ],
    [
      'token keys without an issuer',
      { ...tokens, SERVICE__MANAGEMENT__ISSUER: '' },
      'SERVICE__MANAGEMENT__ISSUER: found nothing',
    ],
    [
      'token keys without an audience',
      { ...tokens, SERVICE__MANAGEMENT__AUDIENCE: '' },
      'SERVICE__MANAGEMENT__AUDIENCE: found',
    ],
  ])('is refused with %s', async (_what, settings, sentence) => {
    await expect(start(settings)).rejects.toThrow(sentence);
  });
});
