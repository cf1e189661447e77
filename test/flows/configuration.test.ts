import { answered, get, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { sharedPostgres } from '../support/database/postgres';
import { type RunningService, startService } from '../support/service/service';

const password = 'marker-of-the-key-store';

const postgres = sharedPostgres();
let connectionString: string;
let service: RunningService;
beforeAll(async () => {
  connectionString = await postgres.createDatabase();
  service = await startService({
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: `${connectionString}?application_name=marker-of-a-parameter`,
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: password,
    SERVICE__ISSUER__DISPLAY_NAME: 'Registrar',
  });
});
afterAll(async () => {
  await service.stop();
});

describe('the configuration', () => {
  it('shows the effective settings, those that were set and the defaults', async () => {
    const shown = answered(200, await get(`${service.url}/v0/configuration`));
    expect(shown).toMatchObject({
      profile: 'development',
      applicationUrl: service.url,
      issuer: { displayName: 'Registrar' },
      metrics: { enabled: false, port: 9091 },
      rateLimits: { enabled: false },
    });
  });

  it('shows where the database is, and no secret', async () => {
    const reply = await get(`${service.url}/v0/configuration`);
    const { host, pathname, password: ofDatabase } = new URL(connectionString);
    expect(reply.json).toMatchObject({
      eventStore: { type: 'postgres', connectionString: `postgres://(redacted)@${host}${pathname}?(redacted)` },
      secretManager: { strongholdPassword: '(redacted)' },
    });
    expect(ofDatabase).not.toBe('');
    for (const secret of [ofDatabase, password, 'marker']) expect(reply.text).not.toContain(secret);
  });

  it('is read-only', async () => {
    const reply = await send(`${service.url}/v0/configuration`, { method: 'PUT' });
    expectProblem(reply, 405, 'method-not-allowed');
    expect(reply.headers.get('allow')).toBe('GET');
  });
});
