import { loadSettings } from './load-settings';
import { managementAccessFault, settingsWarnings } from './rules';
import { SettingsError, type SettingsFault } from './settings-error';

const production = {
  SERVICE__APPLICATION_URL: 'https://issuer.example.com/eu',
  SERVICE__EVENT_STORE__CONNECTION_STRING: 'postgresql://app:pg-canary@db:5432/sealwright',
  SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'stronghold-canary',
  SERVICE__MANAGEMENT__API_KEYS: 'key-canary-of-the-portal',
};
const files: Record<string, string> = {
  '/run/secrets/password': 'password-in-a-file\n',
  '/settings.yaml':
    'profile: development\nmetrics:\n  port:\nhttp:\n  port: 4000\nissuer:\n  displayName: From the file\n',
  '/typo.yaml': 'htp:\n  port: 4000\nmetrics:\n  enable: true\neventStore: postgres\n',
  '/nested.yaml': 'identification:\n  openid: { prompt: login }\n',
  '/broken.yaml': 'issuer: {{ canary',
};
const surroundings = {
  readFile: (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  },
  lanAddress: () => '192.0.2.7',
};
const load = (environment: Record<string, string>) => loadSettings(environment, surroundings);

function faultsOf(environment: Record<string, string>): readonly SettingsFault[] {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings of production', () => {
  it('are the default profile and take what is given', () => {
    const settings = load(production);
    expect(settings.profile).toBe('production');
    expect(settings.management.console).toBe(false);
    expect(settings.applicationUrl).toBe('https://issuer.example.com/eu');
    expect(settings.http.port).toBe(3033);
    expect(settings.log.level).toBe('info');
    expect(settings.eventStore.type).toBe('postgres');
    expect(settings.metrics).toEqual({ enabled: false, port: 9091 });
    expect(settings.issuer.displayName).toBe('Sealwright');
    expect(settings.outbound.allowPrivateHosts).toEqual([]);
    expect(settings.credentialConfigurations.path).toBe('config/credential-configurations');
  });

  it('name everything that is missing at once', () => {
    expect(faultsOf({})).toEqual([
      {
        name: 'SERVICE__APPLICATION_URL',
        found: 'nothing',
        remedy: 'give an absolute URL such as https://issuer.example.com',
      },
      {
        name: 'SERVICE__EVENT_STORE__CONNECTION_STRING',
        found: 'nothing',
        remedy: 'give a URL such as postgresql://user:password@host:5432/database',
      },
      {
        name: 'SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD',
        found: 'nothing',
        remedy: 'give 12 characters or more',
      },
      {
        name: 'SERVICE__MANAGEMENT__API_KEYS',
        found: 'nothing',
        remedy: 'give a key, or set SERVICE__MANAGEMENT__JWKS_URL, or create a key with `sealwright api-keys create`',
      },
    ]);
  });

  it('leave it to the database whether a key exists, when nothing else is wrong', () => {
    const { SERVICE__MANAGEMENT__API_KEYS: _keys, ...without } = production;
    const noAccess = expect.objectContaining({ name: 'SERVICE__MANAGEMENT__API_KEYS', found: 'nothing' }) as unknown;
    expect(managementAccessFault(load(without))).toEqual(noAccess);
    expect(faultsOf({ ...without, SERVICE__HTTP__PORT: 'x' })).toContainEqual(noAccess);
    const tokens = {
      SERVICE__MANAGEMENT__JWKS_URL: 'https://login.example/jwks',
      SERVICE__MANAGEMENT__ISSUER: 'https://login.example',
      SERVICE__MANAGEMENT__AUDIENCE: 'https://issuer.example.com/eu',
    };
    expect(managementAccessFault(load({ ...without, ...tokens }))).toBeUndefined();
    expect(managementAccessFault(load(production))).toBeUndefined();
    expect(managementAccessFault(load({ SERVICE__PROFILE: 'development' }))).toBeUndefined();
  });

  it.each([
    ['an http URL', { SERVICE__APPLICATION_URL: 'http://issuer.example.com' }, 'production requires an https URL'],
    ['the embedded store', { SERVICE__EVENT_STORE__TYPE: 'embedded' }, 'use postgres; the embedded store serves'],
    ['a short password', { SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'elevenchars' }, '12 characters or more'],
    ['a sample password', { SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'Development-Only' }, 'only you know'],
    ['one letter repeated', { SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'aaaaaaaaaaaaaa' }, 'only you know'],
    [
      'a trusted proxy that is everybody',
      { SERVICE__HTTP__TRUSTED_PROXIES: '10.0.0.0/8,0.0.0.0/0' },
      'only the networks',
    ],
    ['a sample key', { SERVICE__MANAGEMENT__API_KEYS: 'a-good-one-of-ours,change-me-please' }, 'only you know'],
    ['one letter as a key', { SERVICE__MANAGEMENT__API_KEYS: '0000000000000000' }, 'only you know'],
  ])('refuse %s', (_case, change, remedy) => {
    const faults = faultsOf({ ...production, ...change });
    expect(faults).toEqual([expect.objectContaining({ name: Object.keys(change)[0] })]);
    expect(faults[0]?.remedy).toContain(remedy);
  });
});

describe('the database of production', () => {
  const at = (connectionString: string) =>
    load({ ...production, SERVICE__EVENT_STORE__CONNECTION_STRING: connectionString });

  it('is reached by TLS when it is another machine and the URL says nothing else', () => {
    const settings = at('postgresql://app:pg-canary@db:5432/sealwright');
    expect(settings.eventStore.connectionString).toBe(
      'postgresql://app:pg-canary@db:5432/sealwright?sslmode=verify-full',
    );
    expect(settingsWarnings(settings)).toEqual([]);
  });

  it('is warned about without TLS, and with a password from a tutorial', () => {
    const settings = at('postgresql://app:postgres@db:5432/sealwright?sslmode=disable');
    expect(settings.eventStore.connectionString).toContain('sslmode=disable');
    expect(settingsWarnings(settings)).toEqual([
      expect.stringContaining('without verifying its TLS certificate'),
      expect.stringContaining('sample password'),
    ]);
  });

  it('may be the machine itself without TLS', () => {
    const settings = at('postgresql://app:pg-canary@127.0.0.1:5432/sealwright');
    expect(settings.eventStore.connectionString).toBe('postgresql://app:pg-canary@127.0.0.1:5432/sealwright');
    expect(settingsWarnings(settings)).toEqual([]);
  });
});

describe('the database of erasure keys', () => {
  const name = 'SERVICE__ERASURE_KEYS__CONNECTION_STRING';
  const at = (connectionString: string) => load({ ...production, [name]: connectionString });

  it('is reached and warned about like the first one', () => {
    const settings = at('postgresql://app:pg-canary@keys:5432/keys');
    expect(settings.erasureKeys.connectionString).toMatch(/\?sslmode=verify-full$/);
    expect(settingsWarnings(at('postgresql://app:postgres@keys:5432/keys?sslmode=disable'))).toEqual([
      expect.stringMatching(`^${name} .* without verifying its TLS certificate`),
      expect.stringMatching(`^${name} holds a sample password`),
    ]);
  });

  it.each([
    ['an address of something else', 'mysql://keys', 'give a URL such as postgresql://'],
    [
      'the database of the events',
      production.SERVICE__EVENT_STORE__CONNECTION_STRING,
      'give another one, with backups of its own',
    ],
  ])('is not %s', (_, connectionString, remedy) => {
    const faults = faultsOf({ ...production, [name]: connectionString });
    expect(faults).toEqual([expect.objectContaining({ name })]);
    expect(faults[0]?.remedy).toContain(remedy);
  });
});

describe('the address of the keys of access tokens', () => {
  const tokens = { SERVICE__MANAGEMENT__ISSUER: 'https://login.example', SERVICE__MANAGEMENT__AUDIENCE: 'portal' };
  const withUrl = (url: string, hosts: string) => ({
    ...production,
    ...tokens,
    SERVICE__MANAGEMENT__JWKS_URL: url,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: hosts,
  });

  it.each([
    ['https://login.example/jwks', ''],
    ['http://login.internal/jwks', 'login.internal:80'],
    ['http://login.internal:8080/jwks', 'LOGIN.internal'],
    ['https://login.internal:8443/jwks', 'login.internal:8443'],
  ])('is taken: %s with the private hosts "%s"', (url, hosts) => {
    expect(load(withUrl(url, hosts)).management.jwksUrl).toBe(url);
  });

  it.each([
    ['http://login.example/jwks', ''],
    ['http://login.internal:8080/jwks', 'login.internal:8081'],
    ['https://login.example:8443/jwks', 'login.example:443'],
  ])('is refused: %s with the private hosts "%s"', (url, hosts) => {
    expect(faultsOf(withUrl(url, hosts))).toEqual([expect.objectContaining({ name: 'SERVICE__MANAGEMENT__JWKS_URL' })]);
  });
});

describe('the login provider', () => {
  const openid = 'SERVICE__IDENTIFICATION__OPENID__';
  const given = (changes: Record<string, string>) => ({
    ...production,
    [`${openid}ISSUER`]: 'https://login.example',
    [`${openid}CLIENT_ID`]: 'cards',
    ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [openid + name, value])),
  });

  it.each([
    ['CLIENT_SECRET', { AUTHENTICATION: 'private_key_jwt', CLIENT_SECRET: 'secret' }],
    ['CLIENT_SECRET', { AUTHENTICATION: 'client_secret_post' }],
    ['AUTHENTICATION', { AUTHENTICATION: 'tls_client_auth' }],
    ['ID_TOKEN_SIGNED_RESPONSE_ALG', { ID_TOKEN_SIGNED_RESPONSE_ALG: 'HS256' }],
    ['USERINFO_SIGNED_RESPONSE_ALG', { USERINFO: 'false', USERINFO_SIGNED_RESPONSE_ALG: 'ES256' }],
    ['USERINFO_ENCRYPTED', { USERINFO: 'false', USERINFO_ENCRYPTED: 'true' }],
  ])('is refused for its %s: %j', (name, changes) => {
    expect(faultsOf(given(changes))).toEqual([expect.objectContaining({ name: openid + name })]);
  });

  it('is taken with a key, DPoP and lightweight tokens', () => {
    const settings = load(given({ AUTHENTICATION: 'private_key_jwt', DPOP: 'true', USERINFO: 'false' }));
    expect(settings.identification.openid).toMatchObject({ dpop: true, userinfo: false });
  });
});

describe('settings of development', () => {
  it('need nothing but the profile', () => {
    const settings = load({ SERVICE__PROFILE: 'development', SERVICE__HTTP__PORT: '4040' });
    expect(settings.applicationUrl).toBe('http://192.0.2.7:4040');
    expect(settings.eventStore).toEqual({ type: 'embedded', connectionString: './data' });
    expect(settings.secretManager.strongholdPassword).toBe('development-only');
    expect(settings.management.console).toBe(true);
    expect(settings.log.level).toBe('debug');
    expect(settingsWarnings(settings)).toEqual([]);
  });

  it.each(['http://localhost:3033', 'http://127.0.0.1:3033', 'http://[::1]:3033'])('warn about %s', (url) => {
    const settings = load({ SERVICE__PROFILE: 'development', SERVICE__APPLICATION_URL: url });
    expect(settingsWarnings(settings)).toEqual([expect.stringContaining('other devices')]);
  });

  it('ask for the URL when the port is a free one', () => {
    const free = { SERVICE__PROFILE: 'development', SERVICE__HTTP__PORT: '0' };
    expect(faultsOf(free)).toEqual([expect.objectContaining({ name: 'SERVICE__APPLICATION_URL', found: 'nothing' })]);
    expect(load({ ...free, SERVICE__APPLICATION_URL: 'http://127.0.0.1:9' }).http.port).toBe(0);
  });

  it('want a port of its own for each listener', () => {
    const clash = [expect.objectContaining({ name: 'SERVICE__MANAGEMENT__PORT' })];
    const metrics = { SERVICE__METRICS__ENABLED: 'true', SERVICE__METRICS__PORT: '9091' };
    expect(faultsOf({ ...production, SERVICE__MANAGEMENT__PORT: '3033' })).toEqual(clash);
    expect(faultsOf({ ...production, ...metrics, SERVICE__MANAGEMENT__PORT: '9091' })).toEqual(clash);
    expect(load({ ...production, SERVICE__MANAGEMENT__PORT: '9091' }).management.port).toBe(9091);
    const free = { SERVICE__HTTP__PORT: '0', SERVICE__MANAGEMENT__PORT: '0' };
    expect(load({ ...production, ...free }).management.port).toBe(0);
  });

  it('want a connection string for postgres', () => {
    expect(faultsOf({ SERVICE__PROFILE: 'development', SERVICE__EVENT_STORE__TYPE: 'postgres' })).toEqual([
      expect.objectContaining({ name: 'SERVICE__EVENT_STORE__CONNECTION_STRING' }),
    ]);
  });
});

describe('a single wrong setting', () => {
  it.each([
    ['SERVICE__PROFILE', 'staging', 'use one of: development, production'],
    ['SERVICE__EVENT_STORE__TYPE', 'mongodb', 'use one of: postgres, embedded'],
    ['SERVICE__HTTP__PORT', '65536', 'give a whole number from 0 to 65535'],
    ['SERVICE__HTTP__DRAIN_SECONDS', '61', 'give 0 to 60 seconds'],
    ['SERVICE__HTTP__PORT', 'eighty', 'give a whole number from 0 to 65535'],
    ['SERVICE__METRICS__ENABLED', 'yes', 'write true or false'],
    ['SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS', 'https://db', 'write each entry as host or host:port'],
    ['SERVICE__APPLICATION_URL', 'https://issuer.example.com/', 'remove the trailing slash'],
    ['SERVICE__APPLICATION_URL', 'https://issuer.example.com?a=b', 'remove the query and fragment'],
    ['SERVICE__APPLICATION_URL', 'https://me:pass@issuer.example.com', 'remove the user name and password'],
    ['SERVICE__APPLICATION_URL', 'https://Issuer.example.com', 'write it as https://issuer.example.com'],
    ['SERVICE__APPLICATION_URL', 'ftp://issuer.example.com', 'use https'],
    ['SERVICE__HTTP__PROT', '80', 'did you mean SERVICE__HTTP__PORT?'],
    ['SERVICE__APPLICATION_ULR', 'x', 'did you mean SERVICE__APPLICATION_URL?'],
    ['SERVICE__HTTP__PORT_FILE', 'x', 'there is no such setting'],
    ['SERVICE__QUANTUM_ENTANGLEMENT', 'x', 'there is no such setting; remove it'],
  ])('%s=%s is refused once, with its remedy', (name, value, remedy) => {
    const faults = faultsOf({ ...production, [name]: value });
    expect(faults).toEqual([expect.objectContaining({ name })]);
    expect(faults[0]?.remedy).toContain(remedy);
  });

  it('is the only fault when it is the profile, which decides what else is needed', () => {
    const wrong = { SERVICE__PROFILE: 'dev' };
    expect(faultsOf(wrong)).toEqual([expect.objectContaining({ name: 'SERVICE__PROFILE' })]);
    expect(faultsOf({ ...wrong, SERVICE__HTTP__PORT: 'x' }).map(({ name }) => name)).toEqual([
      'SERVICE__PROFILE',
      'SERVICE__HTTP__PORT',
    ]);
  });

  it('is never quoted: it may be a secret in the wrong place', () => {
    const canary = 'wrong-place-canary';
    const names = ['SERVICE__HTTP__PORT', 'SERVICE__APPLICATION_URL', 'SERVICE__PROFILE', 'SERVICE__PASWORD'];
    const wrong = Object.fromEntries(names.map((name) => [name, canary]));
    expect(() => load({ ...production, ...wrong })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(canary) }),
    );
    expect(faultsOf({ ...production, ...wrong }).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});

describe('a list of hosts', () => {
  it('is split at commas', () => {
    const settings = load({
      ...production,
      SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: 'localhost:4000, wallet.test,[::1]:8080',
    });
    expect(settings.outbound.allowPrivateHosts).toEqual(['localhost:4000', 'wallet.test', '[::1]:8080']);
  });
});

describe('a settings file', () => {
  it('gives values that the environment overrides', () => {
    const settings = load({ SERVICE__CONFIG_FILE: '/settings.yaml', SERVICE__HTTP__PORT: '5000' });
    expect(settings.profile).toBe('development');
    expect(settings.http.port).toBe(5000);
    expect(settings.issuer.displayName).toBe('From the file');
    expect(settings.metrics.port).toBe(9091);
    expect(settings.applicationUrl).toBe('http://192.0.2.7:5000');
  });

  it('has sections inside sections', () => {
    const settings = load({ ...production, SERVICE__CONFIG_FILE: '/nested.yaml' });
    expect(settings.identification.openid.prompt).toBe('login');
  });

  it('is searched for mistyped names', () => {
    expect(faultsOf({ ...production, SERVICE__CONFIG_FILE: '/typo.yaml' })).toEqual([
      expect.objectContaining({ name: 'htp' }),
      { name: 'metrics.enable', found: 'a boolean', remedy: 'there is no such setting; did you mean metrics.enabled?' },
      expect.objectContaining({ name: 'eventStore', found: 'a text of 8 characters' }),
    ]);
  });

  it.each(['/broken.yaml', '/absent.yaml'])('%s is a fault of its own', (path) => {
    const faults = faultsOf({ ...production, SERVICE__CONFIG_FILE: path });
    expect(faults).toEqual([expect.objectContaining({ name: 'SERVICE__CONFIG_FILE' })]);
    expect(JSON.stringify(faults)).not.toContain('canary');
  });
});

describe('a secret', () => {
  const { SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: _password, ...rest } = production;
  const fileVariable = 'SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD_FILE';

  it('is read from the file that its _FILE variable names', () => {
    const settings = load({ ...rest, [fileVariable]: '/run/secrets/password' });
    expect(settings.secretManager.strongholdPassword).toBe('password-in-a-file');
  });

  it('is not taken from two places', () => {
    expect(faultsOf({ ...production, [fileVariable]: '/run/secrets/password' })).toEqual([
      expect.objectContaining({ name: fileVariable, remedy: expect.stringContaining('not both') }),
    ]);
  });
});

describe('names of the issuer in other languages', () => {
  it.each(['Universität', 'de=', '=Universität', 'de=One, DE=Two'])('are rejected when written as "%s"', (names) => {
    const faults = faultsOf({ ...production, SERVICE__ISSUER__LOCALISED_NAMES: names });
    expect(faults.map(({ name }) => name)).toEqual(['SERVICE__ISSUER__LOCALISED_NAMES']);
  });
});
