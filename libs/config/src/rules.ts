import { isLoopback } from './base-url';
import { consoleRules } from './console-rules';
import { databasePasswordOf, isUnprotectedDatabase } from './database-address';
import { databaseHosts, DatabaseHostsError } from './database-hosts';
import { DEVELOPMENT_PASSWORD } from './derived-defaults';
import { strictSettings } from './high-assurance';
import { mailRules } from './mail-rules';
import { classOf } from './reading';
import type { Rule } from './rule';
import { environmentName } from './setting';
import type { Settings } from './settings';
import type { SettingsFault } from './settings-error';
import {
  localSigner,
  membersOfSigner,
  type SignerMember,
  signerMembers,
  SignerProvider,
  type SignerProviderSettings,
  signerUses,
} from './signer-settings';

const PASSWORD_LENGTH = 12;

/** Passwords and keys that are common in documents and examples; the first is our own. */
const samples = new Set([
  DEVELOPMENT_PASSWORD,
  'change-me-please',
  'changemechangeme',
  'changeme1234',
  'correct horse battery staple',
  'passwordpassword',
  'password1234',
  'secretpassword',
  'strongholdpassword',
  'sup3rsecr3tpassword',
  '123456789012',
  '1234567890123456',
  '0123456789abcdef',
  '0123456789abcdef0123456789abcdef',
  'my-secret-api-key',
  'your-api-key-here',
  'replace-with-your-key',
  'test-api-key-1234',
]);

/** Passwords of databases in tutorials and in our own files for a first look. */
const sampleDatabasePasswords = new Set(['postgres', 'password', 'secret', 'sealwright', 'admin', 'root', 'changeme']);

function isSample(secret: string): boolean {
  return samples.has(secret.toLowerCase()) || /^(.)\1*$/u.test(secret);
}

const everywhere: readonly Rule[] = [
  {
    judges: 'SERVICE__EVENT_STORE__CONNECTION_STRING',
    check({ eventStore: { type, connectionString } }) {
      return type === 'postgres' ? databaseFault(connectionString) : undefined;
    },
  },
  {
    judges: 'SERVICE__ERASURE_KEYS__CONNECTION_STRING',
    check({ eventStore, erasureKeys: { connectionString } }) {
      if (connectionString === '') return undefined;
      if (connectionString !== eventStore.connectionString) return databaseFault(connectionString);
      return { found: 'the database of the event store', remedy: 'give another one, with backups of its own' };
    },
  },
  ...(['requests', 'documents', 'metadata'] as const).map((use): Rule => {
    const chainSetting = `SERVICE__CERTIFICATES__${use.toUpperCase()}__CHAIN_FILE`;
    return {
      judges: `SERVICE__CERTIFICATES__${use.toUpperCase()}__KEY_FILE`,
      check({ certificates }) {
        const { chainFile, keyFile } = certificates[use];
        if ((chainFile === '') === (keyFile === '')) return undefined;
        return keyFile === ''
          ? { found: 'nothing', remedy: `give the key of ${chainSetting}` }
          : { found: 'a path', remedy: `give it together with ${chainSetting}` };
      },
    };
  }),
  ...(['issuer', 'audience'] as const).map((member): Rule => ({
    judges: `SERVICE__MANAGEMENT__${member.toUpperCase()}`,
    check({ management }) {
      if (management.jwksUrl === '' || management[member] !== '') return undefined;
      return { found: 'nothing', remedy: 'give it together with SERVICE__MANAGEMENT__JWKS_URL' };
    },
  })),
  {
    judges: 'SERVICE__MANAGEMENT__PORT',
    check({ http, management, metrics }) {
      const taken = [http.port, ...(isTrue(metrics.enabled) ? [metrics.port] : [])];
      if (!management.port || !taken.includes(management.port)) return undefined;
      return { found: 'the port of another listener', remedy: 'give it another port' };
    },
  },
  {
    judges: 'SERVICE__MANAGEMENT__JWKS_URL',
    check({ management: { jwksUrl }, outbound: { allowPrivateHosts } }) {
      return unreachable(jwksUrl, allowPrivateHosts);
    },
  },
  {
    judges: 'SERVICE__IDENTIFICATION__OPENID__ISSUER',
    check({ identification: { openid }, outbound: { allowPrivateHosts } }) {
      return unreachable(openid.issuer, allowPrivateHosts);
    },
  },
  {
    judges: 'SERVICE__IDENTIFICATION__OPENID__CLIENT_ID',
    check({ identification: { openid } }) {
      if ((openid.issuer === '') === (openid.clientId === '')) return undefined;
      return openid.clientId === ''
        ? { found: 'nothing', remedy: 'give the client id at SERVICE__IDENTIFICATION__OPENID__ISSUER' }
        : { found: 'a client id', remedy: 'give it together with SERVICE__IDENTIFICATION__OPENID__ISSUER' };
    },
  },
  {
    judges: 'SERVICE__IDENTIFICATION__OPENID__CLIENT_SECRET',
    check({ identification: { openid } }) {
      const { authentication, clientSecret } = openid;
      if (authentication === 'private_key_jwt' && clientSecret !== '') {
        const remedy = 'leave it out: SERVICE__IDENTIFICATION__OPENID__AUTHENTICATION=private_key_jwt needs none';
        return { found: 'a secret', remedy };
      }
      if (authentication !== 'client_secret_post' || clientSecret !== '') return undefined;
      return {
        found: 'nothing',
        remedy: 'give it for SERVICE__IDENTIFICATION__OPENID__AUTHENTICATION=client_secret_post',
      };
    },
  },
  ...(['userinfoSignedResponseAlg', 'userinfoEncrypted'] as const).map((member): Rule => ({
    judges: `SERVICE__IDENTIFICATION__OPENID__${member === 'userinfoEncrypted' ? 'USERINFO_ENCRYPTED' : 'USERINFO_SIGNED_RESPONSE_ALG'}`,
    check({ identification: { openid } }) {
      if (isTrue(openid.userinfo) || openid[member] === '' || openid[member] === false) return undefined;
      const remedy = 'leave it out, or set SERVICE__IDENTIFICATION__OPENID__USERINFO to true';
      return { found: String(openid[member]), remedy };
    },
  })),
  {
    judges: 'SERVICE__CONSOLE__OPENID__ISSUER',
    check({ console: { openid }, management, outbound: { allowPrivateHosts } }) {
      if (openid.issuer !== '' && !isTrue(management.console)) {
        return { found: 'an issuer', remedy: 'give it together with SERVICE__MANAGEMENT__CONSOLE=true' };
      }
      return unreachable(openid.issuer, allowPrivateHosts);
    },
  },
  ...consoleRules,
  {
    judges: 'SERVICE__IDENTIFICATION__DATA_URL',
    check({ identification: { dataUrl }, outbound: { allowPrivateHosts } }) {
      return unreachable(dataUrl, allowPrivateHosts);
    },
  },
  {
    judges: 'SERVICE__IDENTIFICATION__DATA_SECRET',
    check({ identification: { dataUrl, dataSecret } }) {
      if ((dataUrl === '') === (dataSecret === '')) return undefined;
      return dataSecret === ''
        ? { found: 'nothing', remedy: 'give the secret that signs the requests to SERVICE__IDENTIFICATION__DATA_URL' }
        : { found: 'a secret', remedy: 'give it together with SERVICE__IDENTIFICATION__DATA_URL' };
    },
  },
  ...mailRules,
  {
    judges: 'SERVICE__APPLICATION_URL',
    check({ http, applicationUrl }) {
      if (http.port !== 0 || new URL(applicationUrl).port !== '0') return undefined;
      return { found: 'nothing', remedy: 'give it when SERVICE__HTTP__PORT is 0: a free port is known too late' };
    },
  },
  ...signerUses.map((use): Rule => ({
    judges: `SERVICE__SIGNER__FOR_${use.toUpperCase()}`,
    check({ signer }) {
      const names = [localSigner, ...signer.providers.keys()];
      if (names.includes(signer.for[use])) return undefined;
      return { found: 'a name that no signer has', remedy: `use one of: ${names.join(', ')}` };
    },
  })),
  ...strictSettings.map(({ name, allowed, valueIn }): Rule => ({
    judges: name,
    check(settings) {
      // A value that is neither true nor false is its own fault, and demands nothing of others.
      if (!isTrue(settings.haip) || allowed.includes(valueIn(settings))) return undefined;
      const remedy = `SERVICE__HAIP wants ${allowed.join(' or ')}: leave it out, or set SERVICE__HAIP to false`;
      return { found: valueIn(settings), remedy };
    },
  })),
];

/** What the type of a signer outside of this process asks for; of an unknown type nobody knows. */
function rulesOfSigner(name: string, provider: SignerProviderSettings): Rule[] {
  if (!Object.hasOwn(signerMembers, provider.type)) return [];
  const needed: readonly SignerMember[] = signerMembers[provider.type].needed;
  const own = membersOfSigner(provider.type);
  const initial = new SignerProvider();
  const given = Object.assign(new SignerProvider(), provider);
  const foreign = (Object.keys(initial) as SignerMember[]).filter(
    (member) => !own.includes(member) && given[member] !== initial[member],
  );
  const named = (member: SignerMember): string => environmentName(['signer', 'providers', name, member]);
  const ofType = `${named('type')}=${provider.type}`;
  const rule = (member: SignerMember, check: Rule['check']): Rule => ({ judges: named(member), check });
  return [
    ...needed
      .filter((member) => given[member] === '')
      .map((member) => rule(member, () => ({ found: 'nothing', remedy: `give it for ${ofType}` }))),
    ...foreign.map((member) => {
      const remedy = `leave it out: ${ofType} takes no such setting`;
      return rule(member, () => ({ found: classOf(given[member]), remedy }));
    }),
    rule('url', () => (own.includes('url') ? unprotected(given.url) : undefined)),
    rule('keyFile', () => {
      if (!own.includes('keyFile') || (given.certificateFile === '') === (given.keyFile === '')) return undefined;
      return given.keyFile === ''
        ? { found: 'nothing', remedy: `give the key of ${named('certificateFile')}` }
        : { found: 'a path', remedy: `give it together with ${named('certificateFile')}` };
    }),
  ];
}

/** Beyond this machine a token would be read on the way. */
function unprotected(url: string): Omit<SettingsFault, 'name'> | undefined {
  if (url === '' || new URL(url).protocol === 'https:' || isLoopback(url)) return undefined;
  return { found: 'an http URL of another machine', remedy: 'give an https URL' };
}

/** The guarded client goes nowhere else: without this rule every request to the address would fail. */
function unreachable(url: string, allowPrivateHosts: unknown): Omit<SettingsFault, 'name'> | undefined {
  // An invalid list is a separate fault.
  if (url === '' || !isTexts(allowPrivateHosts)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'https:' && port === '') return undefined;
  const allowed = allowPrivateHosts.map((host) => host.toLowerCase());
  const written = `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
  if (allowed.includes(hostname) || allowed.includes(written)) return undefined;
  return {
    found: protocol === 'http:' ? 'an http URL' : 'a port other than 443',
    remedy: 'give an https URL on port 443, or name its host in SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS',
  };
}

function isTrue(value: unknown): boolean {
  return value === true;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function databaseFault(connectionString: string): Omit<SettingsFault, 'name'> | undefined {
  if (!/^postgres(ql)?:\/\//.test(connectionString)) {
    return {
      found: classOf(connectionString),
      remedy: 'give a URL such as postgresql://user:password@host:5432/database',
    };
  }
  const remedy = hostsFault(connectionString);
  return remedy === undefined ? undefined : { found: 'a URL without a server', remedy };
}

/** What to write in place of hosts that cannot be read. */
function hostsFault(connectionString: string): string | undefined {
  try {
    databaseHosts(connectionString);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseHostsError) return error.message;
    throw error;
  }
}

/** The fault that a live key in the database cures; see {@link managementAccessFault}. */
const noAccess: SettingsFault = {
  name: 'SERVICE__MANAGEMENT__API_KEYS',
  found: 'nothing',
  remedy: 'give a key, or set SERVICE__MANAGEMENT__JWKS_URL, or create a key with `sealwright api-keys create`',
};

/** What is wrong with a password of the key store. */
export function passwordFault(password: string): Omit<SettingsFault, 'name'> | undefined {
  if (password === '') return { found: 'nothing', remedy: `give ${PASSWORD_LENGTH} characters or more` };
  if (isSample(password)) return { found: 'a sample password', remedy: 'choose one that only you know' };
  if (password.length >= PASSWORD_LENGTH) return undefined;
  return { found: 'a shorter string', remedy: `give ${PASSWORD_LENGTH} characters or more` };
}

/** What only production asks for. */
const inProduction: readonly Rule[] = [
  {
    judges: 'SERVICE__APPLICATION_URL',
    check({ applicationUrl }) {
      if (applicationUrl.startsWith('https://')) return undefined;
      return { found: 'an http URL', remedy: 'production requires an https URL' };
    },
  },
  {
    judges: 'SERVICE__EVENT_STORE__TYPE',
    check({ eventStore }) {
      if (eventStore.type !== 'embedded') return undefined;
      return { found: 'embedded', remedy: 'use postgres; the embedded store serves development only' };
    },
  },
  {
    judges: 'SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD',
    check({ secretManager: { strongholdPassword } }) {
      return passwordFault(strongholdPassword);
    },
  },
  {
    judges: 'SERVICE__HTTP__TRUSTED_PROXIES',
    check({ http }) {
      if (!http.trustedProxies.some((network) => /\/0+$/.test(network))) return undefined;
      return { found: 'a network that contains every address', remedy: 'list only the networks of your proxies' };
    },
  },
  {
    judges: 'SERVICE__MANAGEMENT__API_KEYS',
    check(settings) {
      if (!settings.management.apiKeys.some(isSample)) return managementAccessFault(settings);
      return { found: 'a sample key', remedy: 'choose one that only you know' };
    },
  },
];

/**
 * The fault of settings without a credential for the management API in production. Settings are judged before the
 * database is open; so the code that opens it stops the start with this fault unless a key in the database is live.
 */
export function managementAccessFault({ profile, management }: Settings): SettingsFault | undefined {
  const isNone = management.apiKeys.length === 0 && management.jwksUrl === '';
  return profile === 'production' && isNone ? noAccess : undefined;
}

/** Whether a fault may turn out to be none once the database is open. */
export function isCurable({ name, remedy }: SettingsFault): boolean {
  return name === noAccess.name && remedy === noAccess.remedy;
}

/** Applies the rules of the profile to settings of which those in `invalid` are already known to be faulty. */
export function judge(settings: Settings, invalid: ReadonlySet<string>): SettingsFault[] {
  const signers = [...settings.signer.providers].flatMap(([name, provider]) => rulesOfSigner(name, provider));
  const rules = [...everywhere, ...signers, ...(settings.profile === 'production' ? inProduction : [])];
  return rules
    .filter(({ judges }) => !invalid.has(judges))
    .flatMap(({ judges, check }) => {
      const fault = check(settings);
      return fault ? [{ name: judges, ...fault }] : [];
    });
}

/** What is allowed and yet seldom meant, one sentence each. */
export function settingsWarnings({ applicationUrl, profile, eventStore, erasureKeys }: Settings): string[] {
  const warnings: string[] = [];
  if (isLoopback(applicationUrl)) {
    warnings.push(
      `SERVICE__APPLICATION_URL is ${applicationUrl}: other devices, including wallets on phones, cannot reach it.`,
    );
  }
  if (profile !== 'production') return warnings;
  return [
    ...warnings,
    ...databaseWarnings('SERVICE__EVENT_STORE__CONNECTION_STRING', eventStore.connectionString),
    ...databaseWarnings('SERVICE__ERASURE_KEYS__CONNECTION_STRING', erasureKeys.connectionString),
  ];
}

function databaseWarnings(name: string, connectionString: string): string[] {
  const warnings: string[] = [];
  if (isUnprotectedDatabase(connectionString)) {
    warnings.push(
      `${name} connects to another machine without verifying its TLS certificate: anyone on the network path can read and change everything. Set sslmode=verify-full.`,
    );
  }
  const password = databasePasswordOf(connectionString);
  if (password !== '' && (isSample(password) || sampleDatabasePasswords.has(password.toLowerCase()))) {
    warnings.push(`${name} holds a sample password: choose one that only you know.`);
  }
  return warnings;
}
