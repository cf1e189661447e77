import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, type Settings } from '@app/config';
import { type Manifest, renderChart, requiredValues } from './chart';
import { variants } from './chart-values';
import { at, type Container, ofKind, type PodTemplate, pods, selects, theOnly } from './manifests';

const secrets: Readonly<Record<string, string>> = {
  'sealwright/connection-string': 'postgresql://app:word@database.example.org:5432/sealwright',
  'sealwright/stronghold-password': 'three words and a number 7',
  'sealwright/management-api-keys': 'a-key-of-more-than-sixteen-letters',
  'sealwright-owner/connection-string': 'postgresql://owner:word@database.example.org:5432/sealwright',
  'sealwright/erasure-keys': 'postgresql://app:word@erasures.example.org:5432/keys',
  'sealwright-owner/erasure-keys': 'postgresql://owner:word@erasures.example.org:5432/keys',
};

/** What Kubernetes would put into the files of a pod. */
function fileOf({ spec }: PodTemplate, path: string): string {
  for (const { name, mountPath } of spec.containers[0]?.volumeMounts ?? []) {
    if (!path.startsWith(`${mountPath}/`)) continue;
    const secret = spec.volumes.find((volume) => volume.name === name)?.secret;
    const item = secret?.items.find((one) => path === `${mountPath}/${one.path}`);
    const content = secrets[`${secret?.secretName ?? ''}/${item?.key ?? ''}`];
    if (content !== undefined) return content;
  }
  throw new Error(`There is no file ${path}.`);
}

/** The settings with which the service starts in a pod. Throws the errors of the service. */
function settingsIn(pod: PodTemplate): Settings {
  const environment = Object.fromEntries((pod.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
  return loadSettings(environment, { readFile: (path) => fileOf(pod, path) });
}

function containerPorts(manifests: readonly Manifest[]): Map<string, number> {
  const [container] = at(theOnly(manifests, 'Deployment'), 'spec.template.spec.containers') as readonly Container[];
  return new Map(container?.ports?.map(({ name, containerPort }) => [name, containerPort]));
}

describe.each(Object.entries(variants))('the chart with %s', (_, values) => {
  const manifests = renderChart(values);
  const serverLabels = at(theOnly(manifests, 'Deployment'), 'spec.template.metadata.labels') as Record<string, string>;
  const ports = containerPorts(manifests);

  it('gives every pod settings with which the service starts in production', () => {
    for (const [, pod] of pods(manifests)) {
      const settings = settingsIn(pod);
      expect(settings.profile).toBe('production');
      expect(settings.eventStore.connectionString).toMatch(/^postgresql:/);
    }
  });

  it('gives the database of erasure keys, if there is one, to every pod with the same user as the first one', () => {
    for (const [, pod] of pods(manifests)) {
      const { eventStore, erasureKeys } = settingsIn(pod);
      const hasKeys = JSON.stringify(values).includes('erasureKeys');
      expect(erasureKeys.connectionString !== '').toBe(hasKeys);
      if (!hasKeys) continue;
      expect(new URL(erasureKeys.connectionString).username).toBe(new URL(eventStore.connectionString).username);
    }
  });

  it('mounts the secrets of signers as files that follow their Secret', () => {
    for (const [, pod] of pods(manifests)) {
      const [container] = pod.spec.containers;
      const files = container?.env.flatMap(({ name, value }) =>
        /^SERVICE__SIGNER__.*_FILE$/.test(name) ? [value] : [],
      );
      for (const file of files ?? []) {
        const mount = container?.volumeMounts?.find(({ mountPath }) => file?.startsWith(`${mountPath}/`));
        const volume = pod.spec.volumes.find(({ name }) => name === mount?.name);
        expect([file, volume?.secret?.secretName]).toEqual([file, 'signers']);
        // A file that is mounted by itself keeps what it was.
        expect(mount).not.toHaveProperty('subPath');
      }
      expect(settingsIn(pod).signer.providers.size).toBe(files?.length);
    }
  });

  it('mounts the files of tenants where the service looks for them', () => {
    const [container] = at(theOnly(manifests, 'Deployment'), 'spec.template.spec.containers') as readonly Container[];
    const { value } = container?.env.find(({ name }) => name === 'SERVICE__TENANTS__DIRECTORY') ?? {};
    const mount = container?.volumeMounts?.find(({ mountPath }) => mountPath === value);
    // Mounted by itself, a file would not follow.
    expect([value !== undefined, mount?.name]).toEqual(
      'tenantFiles' in values ? [true, 'tenants'] : [false, undefined],
    );
    expect(mount ?? {}).not.toHaveProperty('subPath');
  });

  it('opens the ports at which the service listens', () => {
    for (const [, pod] of pods(manifests)) {
      const { http, management, metrics } = settingsIn(pod);
      expect([http.port, management.port]).toEqual([ports.get('public'), ports.get('management')]);
      expect(ports.get('metrics')).toBe(metrics.enabled ? metrics.port : undefined);
    }
  });

  it('routes each Service to a port of the server pods, and to no other pod', () => {
    for (const service of ofKind(manifests, 'Service')) {
      const targets = at(service, 'spec.ports') as readonly { targetPort: string }[];
      expect(targets.filter(({ targetPort }) => !ports.has(targetPort))).toEqual([]);
      const taken = pods(manifests).filter(([, pod]) => selects(at(service, 'spec.selector'), pod.metadata.labels));
      expect(taken.map(([name]) => name.split(' ')[0])).toEqual(['Deployment']);
    }
  });

  it('selects the server pods wherever it selects pods', () => {
    expect(selects(at(theOnly(manifests, 'Deployment'), 'spec.selector.matchLabels'), serverLabels)).toBe(true);
    for (const budget of ofKind(manifests, 'PodDisruptionBudget')) {
      expect(selects(at(budget, 'spec.selector.matchLabels'), serverLabels)).toBe(true);
    }
    for (const scaler of ofKind(manifests, 'HorizontalPodAutoscaler')) {
      expect(at(scaler, 'spec.scaleTargetRef.name')).toBe(theOnly(manifests, 'Deployment').metadata.name);
    }
  });

  it('protects every pod by its network policy and names ports that exist', () => {
    for (const policy of ofKind(manifests, 'NetworkPolicy')) {
      const chosen = pods(manifests).map(([, pod]) =>
        selects(at(policy, 'spec.podSelector.matchLabels'), pod.metadata.labels),
      );
      expect(chosen).not.toContain(false);
      const rules = at(policy, 'spec.ingress') as readonly { ports: { port: string }[]; from?: unknown[] }[];
      expect(rules.flatMap((rule) => rule.ports.map(({ port }) => port))).toEqual([...ports.keys()]);
      expect(rules.filter(({ from = [] }) => from.length === 0)).toEqual([]);
    }
  });

  it('routes an Ingress to the public Service only', () => {
    for (const ingress of ofKind(manifests, 'Ingress')) {
      const rules = at(ingress, 'spec.rules') as readonly { readonly host: string }[];
      const secured = at(ingress, 'spec.tls') as readonly { readonly hosts: readonly string[] }[];
      expect(secured.flatMap(({ hosts }) => hosts)).toEqual(rules.map(({ host }) => host));
      for (const rule of rules) {
        const paths = at(rule, 'http.paths') as readonly unknown[];
        const backends = paths.map((path) => at(path, 'backend.service.name'));
        const services = backends.map((name) =>
          ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === name),
        );
        expect(services.map((service) => at(service, 'spec.ports'))).toEqual([
          [expect.objectContaining({ name: 'public' })],
        ]);
      }
    }
  });

  it('lets Prometheus scrape the metrics port of the management Service only', () => {
    for (const monitor of ofKind(manifests, 'ServiceMonitor')) {
      const chosen = ofKind(manifests, 'Service').filter(({ metadata }) =>
        selects(at(monitor, 'spec.selector.matchLabels'), metadata.labels),
      );
      expect(chosen.map(({ metadata }) => metadata.name)).toEqual(['sealwright-management']);
      expect(at(chosen[0], 'spec.ports')).toContainEqual(
        expect.objectContaining({ name: at(monitor, 'spec.endpoints.0.port') }),
      );
    }
  });

  it('has no secret of its own and puts none into a variable', () => {
    expect(ofKind(manifests, 'Secret')).toEqual([]);
    expect(JSON.stringify(manifests)).not.toMatch(/"valueFrom"|"envFrom"/);
    const names = pods(manifests).flatMap(([, pod]) =>
      pod.spec.containers.flatMap(({ env }) => env.map(({ name }) => name)),
    );
    const secret = /(CONNECTION_STRING|PASSWORD|API_KEYS)/;
    expect(names.filter((name) => secret.test(name) && !name.endsWith('_FILE'))).toEqual([]);
  });

  it('lets only the group of the pod read its secrets', () => {
    const volumes = pods(manifests).flatMap(([, pod]) => pod.spec.volumes.flatMap(({ secret }) => secret ?? []));
    expect(new Set(volumes.map(({ defaultMode }) => defaultMode))).toEqual(new Set([0o440]));
  });
});

describe('the migration of the chart', () => {
  const job = (values = variants['the required values'] ?? {}): Manifest => theOnly(renderChart(values), 'Job');
  const pod = (manifest: Manifest): PodTemplate => at(manifest, 'spec.template') as PodTemplate;

  it('runs before an installation and before an upgrade', () => {
    expect(job().metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  });

  it('needs nothing that the chart installs after it', () => {
    const { spec } = pod(job(variants['everything on'] ?? {}));
    expect(spec.serviceAccountName).toBeUndefined();
    expect(spec.volumes.flatMap(({ configMap }) => configMap?.name ?? [])).toEqual(['database-ca']);
  });

  it('connects as the owner of the tables when one is configured', () => {
    expect(settingsIn(pod(job())).eventStore.connectionString).toContain('//app:');
    expect(settingsIn(pod(job(variants['everything on'] ?? {}))).eventStore.connectionString).toContain('//owner:');
  });
});

describe('a role of its own for the service', () => {
  const render = (migration: Readonly<Record<string, string>>) =>
    theOnly(renderChart({ ...requiredValues, migration }), 'Job');

  it('is granted what it needs by the owner of the tables, after each migration', () => {
    const job = render({ secretName: 'sealwright-owner', serviceRole: 'app' });
    const containers = (kind: string): readonly Container[] =>
      at(job, `spec.template.spec.${kind}`) as readonly Container[];
    const [migrate, ...others] = containers('initContainers');
    const [grants] = containers('containers');
    expect(others).toEqual([]);
    expect(migrate?.command?.slice(3)).toEqual(['migrate']);
    expect(grants?.command?.slice(3)).toEqual(['grants', '--apply', '--role', 'app']);
    expect({ ...migrate, name: '', command: [] }).toEqual({ ...grants, name: '', command: [] });
  });

  it('cannot be granted rights without an owner', () => {
    expect(() => render({ serviceRole: 'app' })).toThrow('secretName');
  });
});

it('the chart is of the version of the product', () => {
  const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('deploy/helm/Chart.yaml')).toContain(`\nappVersion: ${version}\n`);
});
