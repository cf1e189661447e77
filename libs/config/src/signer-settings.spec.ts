import { effectiveSettings } from './effective-settings';
import { loadSettings } from './load-settings';
import { SettingsError, type SettingsFault } from './settings-error';

const hsm = {
  SERVICE__SIGNER__HSM__TYPE: 'pkcs11',
  SERVICE__SIGNER__HSM__LIBRARY: '/usr/lib/softhsm/libsofthsm2.so',
  SERVICE__SIGNER__HSM__TOKEN_LABEL: 'credentials',
  SERVICE__SIGNER__HSM__PIN_FILE: '/run/secrets/pin',
};
const others = {
  vault: { URL: 'https://vault.example', TOKEN_FILE: '/run/vault' },
  aws: { REGION: 'eu-central-1', ACCESS_KEY_ID_FILE: '/run/id', SECRET_ACCESS_KEY_FILE: '/run/key' },
  azure: { URL: 'https://ours.vault.azure.net', TOKEN_FILE: '/run/azure' },
  google: { KEY_RING: 'projects/p/locations/europe-west3/keyRings/r', TOKEN_FILE: '/run/google' },
  http: { URL: 'https://signer.example' },
};
type Variables = Record<string, string | undefined>;

const load = (variables: Variables, file = '') =>
  loadSettings(
    { SERVICE__PROFILE: 'development', SERVICE__CONFIG_FILE: '/settings.yaml', ...variables },
    { readFile: () => file, lanAddress: () => '192.0.2.7' },
  );
const named = (name: string, members: Variables): Variables =>
  Object.fromEntries(Object.entries(members).map(([member, value]) => [`SERVICE__SIGNER__${name}__${member}`, value]));

function faultsOf(variables: Variables, file?: string): readonly SettingsFault[] {
  try {
    load(variables, file);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('signers outside of this process', () => {
  it('are none unless given, and everything is signed by the keys in the database', () => {
    const { signer } = load({});
    expect(signer.providers.size).toBe(0);
    expect(signer.for).toEqual({
      credentials: 'local',
      requests: 'local',
      status: 'local',
      metadata: 'local',
    });
    expect(signer.verify).toBe('sampled');
  });

  it('have names, each for what it signs', () => {
    const { signer } = load({
      ...hsm,
      ...named('Cloud1', { TYPE: 'aws', ...others.aws, CONCURRENCY: '8' }),
      SERVICE__SIGNER__FOR_CREDENTIALS: 'HSM',
      SERVICE__SIGNER__FOR_STATUS: 'cloud1',
      SERVICE__SIGNER__VERIFY: 'always',
    });
    expect([...signer.providers.keys()]).toEqual(['hsm', 'cloud1']);
    expect(signer.providers.get('hsm')).toMatchObject({
      type: 'pkcs11',
      library: '/usr/lib/softhsm/libsofthsm2.so',
      tokenLabel: 'credentials',
      tokenSerial: '',
      pinFile: '/run/secrets/pin',
      concurrency: 4,
    });
    expect(signer.providers.get('cloud1')).toMatchObject({ type: 'aws', region: 'eu-central-1', concurrency: 8 });
    expect(signer.for).toMatchObject({ credentials: 'hsm', status: 'cloud1', requests: 'local' });
    expect(signer.verify).toBe('always');
  });

  it.each(Object.entries(others))('may be %s, and miss nothing that it needs', (type, members) => {
    const { signer } = load(named('ONE', { TYPE: type, ...members }));
    expect(signer.providers.get('one')).toMatchObject({ type, concurrency: 16, mount: 'transit' });
    for (const member of Object.keys(members)) {
      expect(faultsOf(named('ONE', { TYPE: type, ...members, [member]: undefined }))).toEqual([
        {
          name: `SERVICE__SIGNER__ONE__${member}`,
          found: 'nothing',
          remedy: `give it for SERVICE__SIGNER__ONE__TYPE=${type}`,
        },
      ]);
    }
  });

  it('come from the file as well, where the environment has the last word', () => {
    const file = `signer:
  forCredentials: HSM
  providers:
    HSM: { type: pkcs11, library: /opt/p11.so, tokenLabel: t, pinFile: /file/pin, concurrency: 2 }
`;
    const { signer } = load({ SERVICE__SIGNER__HSM__PIN_FILE: '/environment/pin' }, file);
    expect(signer.for.credentials).toBe('hsm');
    expect(signer.providers.get('hsm')).toMatchObject({
      library: '/opt/p11.so',
      pinFile: '/environment/pin',
      concurrency: 2,
    });
  });

  it('are shown with what their type takes', () => {
    const shown = effectiveSettings(load({ ...hsm, SERVICE__SIGNER__FOR_STATUS: 'hsm' }));
    expect(shown['signer']).toEqual({
      providers: {
        hsm: {
          type: 'pkcs11',
          concurrency: 4,
          library: '/usr/lib/softhsm/libsofthsm2.so',
          tokenLabel: 'credentials',
          tokenSerial: '',
          pinFile: '/run/secrets/pin',
        },
      },
      forCredentials: 'local',
      forRequests: 'local',
      forStatus: 'hsm',
      forMetadata: 'local',
      verify: 'sampled',
    });
  });

  it.each([
    ['FOR_CREDENTIALS', 'softhsm', 'use one of: local, hsm'],
    ['FOR_STATUSES', 'hsm', 'did you mean SERVICE__SIGNER__FOR_STATUS?'],
    ['VERIFY', 'never', 'use one of: always, sampled'],
    ['HSM__TYPE', 'gcp', 'use one of: pkcs11, vault, aws, azure, google, http'],
    ['HSM__LIBARY', '/lib.so', 'did you mean SERVICE__SIGNER__HSM__LIBRARY?'],
    ['HSM__LIBRARY', 'lib.so', 'give the whole path of the library'],
    ['HSM__CONCURRENCY', '0', 'give 1 to 256'],
    ['HSM__REGION', 'eu-central-1', 'leave it out: SERVICE__SIGNER__HSM__TYPE=pkcs11 takes no such setting'],
    ['HSM__PIN', '1234', 'write the value into a file, and name the file in SERVICE__SIGNER__HSM__PIN_FILE'],
    ['HSM__TOKEN', 's.canary', 'write the value into a file, and name the file in SERVICE__SIGNER__HSM__TOKEN_FILE'],
    ['OTHER__TPYE', 'vault', 'did you mean SERVICE__SIGNER__OTHER__TYPE?'],
    ['MY_HSM__TYPE', 'pkcs11', 'name the signer by letters and digits, and not local'],
    ['LOCAL__TYPE', 'pkcs11', 'name the signer by letters and digits, and not local'],
  ])('are refused for %s=%s', (name, value, remedy) => {
    const faults = faultsOf({ ...hsm, [`SERVICE__SIGNER__${name}`]: value });
    expect(faults).toEqual([
      {
        name: `SERVICE__SIGNER__${name}`,
        found: expect.any(String),
        remedy: expect.stringContaining(remedy),
      },
    ]);
    expect(JSON.stringify(faults)).not.toMatch(/canary|1234/);
  });

  it.each([
    ['http://signer.example', 'give an https URL'],
    ['http://10.0.0.1:8200', 'give an https URL'],
    ['https://user:canary@signer.example', 'without user'],
    ['https://signer.example?token=canary', 'without user'],
  ])('are not called at %s', (url, remedy) => {
    const faults = faultsOf(named('ONE', { TYPE: 'http', URL: url }));
    expect(faults).toEqual([
      { name: 'SERVICE__SIGNER__ONE__URL', found: expect.any(String), remedy: expect.stringContaining(remedy) },
    ]);
    expect(JSON.stringify(faults)).not.toContain('canary');
  });

  it.each(['http://127.0.0.1:8200', 'http://localhost', 'http://[::1]:1/path', 'https://10.0.0.1:8200'])(
    'are called at %s',
    (url) => {
      expect(load(named('ONE', { TYPE: 'http', URL: url })).signer.providers.get('one')).toMatchObject({ url });
    },
  );

  it.each([
    ['CERTIFICATE_FILE', 'give the key of SERVICE__SIGNER__ONE__CERTIFICATE_FILE'],
    ['KEY_FILE', 'give it together with SERVICE__SIGNER__ONE__CERTIFICATE_FILE'],
  ])('have no %s without the other', (member, remedy) => {
    const one = { TYPE: 'http', ...others.http };
    expect(faultsOf(named('ONE', { ...one, [member]: '/a.pem' }))).toEqual([
      expect.objectContaining({ name: 'SERVICE__SIGNER__ONE__KEY_FILE', remedy }),
    ]);
    expect(faultsOf(named('ONE', { ...one, CERTIFICATE_FILE: '/a.pem', KEY_FILE: '/b.pem' }))).toEqual([]);
  });

  it.each([
    ['my-hsm: { type: pkcs11 }', 'signer.providers.my-hsm', 'name the signer by letters and digits, and not local'],
    ['__proto__: { type: pkcs11 }', 'signer.providers.__proto__', 'name the signer by letters and digits'],
    ['hsm: { libary: /lib.so }', 'signer.providers.hsm.libary', 'did you mean signer.providers.hsm.library?'],
    ['hsm: { pin: "1234" }', 'signer.providers.hsm.pin', 'name the file in signer.providers.hsm.pinFile'],
  ])('are refused in the file: %s', (written, name, remedy) => {
    expect(faultsOf(hsm, `signer:\n  providers:\n    ${written}\n`)).toEqual([
      expect.objectContaining({ name, remedy: expect.stringContaining(remedy) }),
    ]);
  });
});
