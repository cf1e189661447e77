import { missingForHighAssurance } from './high-assurance';
import { loadSettings } from './load-settings';
import { SettingsError, type SettingsFault } from './settings-error';

const production = {
  SERVICE__APPLICATION_URL: 'https://issuer.example.com',
  SERVICE__EVENT_STORE__CONNECTION_STRING: 'postgresql://app:secret-enough@localhost:5432/sealwright',
  SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'one-that-only-we-know',
  SERVICE__MANAGEMENT__API_KEYS: 'key-of-the-portal',
};
const login = {
  SERVICE__IDENTIFICATION__OPENID__ISSUER: 'https://login.example.com',
  SERVICE__IDENTIFICATION__OPENID__CLIENT_ID: 'issuer',
};
const haip = { SERVICE__HAIP: 'true' };
const everything = { certificates: ['credentials', 'requests'], trustsWalletProvider: true, trustsIssuer: false };
const nothing = { certificates: [], trustsWalletProvider: false, trustsIssuer: false };

function faultsOf(environment: Record<string, string>): readonly SettingsFault[] {
  try {
    loadSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('SERVICE__HAIP', () => {
  it.each([
    ['production', production],
    ['development', { SERVICE__PROFILE: 'development' }],
  ])('sets the strict values of all settings in %s', (_, environment) => {
    const { authorization, issuer, issuance, verification } = loadSettings({ ...environment, ...haip });
    expect({ authorization, issuer, issuance, verification }).toMatchObject({
      authorization: {
        clients: 'attested',
        attestationChallenge: 'required',
        senderConstrained: 'always',
        dpopNonce: 'required',
        refreshTokenLifetime: 'P90D',
      },
      issuer: { sdJwtIdentifier: 'https' },
      // HAIP 1.0 leaves encryption to the wallet when it is issued a credential.
      issuance: { encryption: 'offered' },
      verification: { clientIdPrefix: 'x509_hash', undeterminedStatus: 'reject' },
    });
  });

  it('changes nothing when it is absent or false', () => {
    expect(loadSettings({ ...production, SERVICE__HAIP: 'false' })).toEqual(loadSettings(production));
    expect(loadSettings(production).authorization.senderConstrained).toBe('when-offered');
    expect(missingForHighAssurance(loadSettings(production), nothing)).toEqual([]);
  });

  it('names every setting that contradicts it', () => {
    const lenient = {
      SERVICE__AUTHORIZATION__CLIENTS: 'any',
      SERVICE__AUTHORIZATION__ATTESTATION_CHALLENGE: 'offered',
      SERVICE__AUTHORIZATION__ATTESTATION_STATUS: 'off',
      SERVICE__AUTHORIZATION__SENDER_CONSTRAINED: 'when-offered',
      SERVICE__AUTHORIZATION__DPOP_NONCE: 'offered',
      SERVICE__ISSUER__SD_JWT_IDENTIFIER: 'did',
      SERVICE__VERIFICATION__CLIENT_ID_PREFIX: 'x509_san_dns',
      SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'accept',
    };
    const faults = faultsOf({ ...production, ...lenient, ...haip });
    expect(Object.fromEntries(faults.map(({ name, found }) => [name, found]))).toEqual(lenient);
    for (const { remedy } of faults) {
      expect(remedy).toMatch(/^SERVICE__HAIP wants [\w -]+: leave it out, or set SERVICE__HAIP to false$/);
    }
  });

  it.each(['yes', '1', 'True'])('is one fault when it is %s: it demands nothing of others', (written) => {
    expect(faultsOf({ ...production, SERVICE__HAIP: written })).toEqual([
      expect.objectContaining({ name: 'SERVICE__HAIP', remedy: 'write true or false' }),
    ]);
  });

  it('takes strict values that are given, and named wallets in place of all attested ones', () => {
    const strict = { SERVICE__AUTHORIZATION__CLIENTS: 'registered', SERVICE__AUTHORIZATION__DPOP_NONCE: 'required' };
    expect(faultsOf({ ...production, ...strict, ...haip })).toEqual([]);
    expect(loadSettings({ ...production, ...strict, ...haip }).authorization.clients).toBe('registered');
  });

  it('names each certificate, authority and provider that is missing, with a remedy', () => {
    const settings = loadSettings({ ...production, ...haip });
    const missing = missingForHighAssurance(settings, nothing);
    expect(missing.map(({ found }) => found)).toEqual([
      'no certificate for credentials',
      'no certificate for requests',
      'no certificate authority that vouches for wallets',
      'no way to find out who people are',
    ]);
    expect(missing.map(({ remedy }) => remedy)).toEqual([
      expect.stringContaining('certificates request --use credentials'),
      expect.stringContaining('certificates request --use requests'),
      expect.stringContaining('SERVICE__TRUST__ANCHORS, with the purpose wallet-provider'),
      expect.stringContaining('SERVICE__IDENTIFICATION__OPENID__ISSUER'),
    ]);
    expect(new Set(missing.map(({ name }) => name))).toEqual(new Set(['SERVICE__HAIP']));
  });

  it('misses nothing with all of them, and in development no provider', () => {
    expect(missingForHighAssurance(loadSettings({ ...production, ...login, ...haip }), everything)).toEqual([]);
    // People can present a credential in place of a login.
    const settings = loadSettings({ ...production, ...haip });
    expect(missingForHighAssurance(settings, { ...everything, trustsIssuer: true })).toEqual([]);
    const trusted = { SERVICE__VERIFICATION__TRUSTED_ISSUERS: 'https://pid.example' };
    expect(missingForHighAssurance(loadSettings({ ...production, ...haip, ...trusted }), everything)).toEqual([]);
    const development = loadSettings({ SERVICE__PROFILE: 'development', ...haip });
    expect(missingForHighAssurance(development, everything)).toEqual([]);
  });
});
