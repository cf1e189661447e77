import { effectiveSettings } from './effective-settings';
import { loadSettings } from './load-settings';

const production = {
  SERVICE__APPLICATION_URL: 'https://issuer.example.com/eu',
  SERVICE__EVENT_STORE__CONNECTION_STRING: 'postgresql://app:marker-1@db.example:5432/sealwright',
  SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'marker-2-of-12-and-more',
  SERVICE__MANAGEMENT__API_KEYS: 'marker-3-of-sixteen,marker-4-of-sixteen',
};
const load = (changes: Record<string, string> = {}) => loadSettings({ ...production, ...changes });

describe('the effective settings', () => {
  it('show what is in force, defaults included, and null for what is not set', () => {
    expect(effectiveSettings(load())).toMatchObject({
      profile: 'production',
      applicationUrl: 'https://issuer.example.com/eu',
      http: { port: 3033 },
      management: { port: null, jwksUrl: '' },
      credentialConfigurations: { path: 'config/credential-configurations' },
      outbound: { allowPrivateHosts: [] },
    });
  });

  it('mask every secret and list the secrets that are set', () => {
    const shown = effectiveSettings(load());
    expect(shown).toMatchObject({
      management: { apiKeys: ['(redacted)', '(redacted)'] },
      secretManager: { strongholdPassword: '(redacted)' },
      eventStore: { connectionString: 'postgresql://(redacted)@db.example:5432/sealwright?(redacted)' },
    });
    expect(JSON.stringify(shown)).not.toContain('marker');
  });

  it.each([
    ['postgres://app:marker@localhost/main', 'postgres://(redacted)@localhost/main'],
    ['postgres://marker@localhost/main', 'postgres://(redacted)@localhost/main'],
    ['postgres://app:m@rker@localhost/main', 'postgres://(redacted)@localhost/main'],
    ['postgres://app:marker/marker@localhost/main', 'postgres://(redacted)@localhost/main'],
    ['postgres://app:marker?marker@localhost/main', 'postgres://(redacted)@localhost/main'],
    ['postgres://app:1#marker@localhost/main', 'postgres://(redacted)@localhost/main'],
    ['postgres://localhost/main?password=marker', 'postgres://localhost/main?(redacted)'],
    ['postgres://localhost/main#marker', 'postgres://localhost/main?(redacted)'],
    ['postgres:///main?host=/tmp&password=marker&user=a@b', 'postgres://(redacted)@b'],
    ['postgres://localhost:5432/main', 'postgres://localhost:5432/main'],
  ])('show %s as %s', (connectionString, shown) => {
    const settings = load({ SERVICE__EVENT_STORE__CONNECTION_STRING: connectionString });
    expect(effectiveSettings(settings)['eventStore']).toEqual({ type: 'postgres', connectionString: shown });
  });

  it('show the directory of an embedded store', () => {
    const settings = loadSettings({ SERVICE__PROFILE: 'development', SERVICE__APPLICATION_URL: 'http://192.0.2.7' });
    expect(effectiveSettings(settings)['eventStore']).toEqual({ type: 'embedded', connectionString: './data' });
  });

  it('mask what is secret inside other addresses', () => {
    const settings = load({
      SERVICE__MANAGEMENT__JWKS_URL: 'https://user:marker@login.example/keys?token=marker',
      SERVICE__MANAGEMENT__ISSUER: 'https://login.example',
      SERVICE__MANAGEMENT__AUDIENCE: 'sealwright',
      SERVICE__VERIFICATION__TRUSTED_ISSUERS: 'https://user:marker@issuer.example Diploma,did:web:issuer.example',
    });
    const shown = effectiveSettings(settings);
    expect(shown).toMatchObject({
      management: { jwksUrl: 'https://(redacted)@login.example/keys?(redacted)', issuer: 'https://login.example' },
      verification: { trustedIssuers: ['https://(redacted)@issuer.example Diploma', 'did:web:issuer.example'] },
    });
    expect(JSON.stringify(shown)).not.toContain('marker');
  });
});
