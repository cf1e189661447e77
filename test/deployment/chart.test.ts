import { execFileSync, spawnSync } from 'node:child_process';
import { Settings } from '@app/config';
import { describeSettings } from '@app/config/src/setting';
import { chartDirectory, type Manifest, readManifests, renderChart, requiredValues, type Values } from './chart';
import { variants } from './chart-values';
import { faultsOf } from './kubernetes-schema';

const kinds = (manifests: readonly Manifest[]): string[] => manifests.map(({ kind }) => kind).sort();

describe('the Helm chart', () => {
  it.each(Object.entries(variants))('makes objects that Kubernetes accepts (%s)', (_, values) => {
    const faults = renderChart(values).flatMap((one) => faultsOf(one).map((fault) => `${one.kind}: ${fault}`));
    expect(faults).toEqual([]);
  });

  it('makes the objects that were asked for and no others', () => {
    const byDefault = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service'];
    expect(kinds(renderChart(requiredValues))).toEqual([...byDefault, 'ServiceAccount']);
    const optional = [
      'ConfigMap',
      'ConfigMap',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PrometheusRule',
      'ServiceMonitor',
    ];
    expect(kinds(renderChart(variants['everything on'] ?? {}))).toEqual(
      [...byDefault, 'ServiceAccount', ...optional].sort(),
    );
    const least = ['Deployment', 'Service', 'Service', 'ServiceAccount'];
    expect(kinds(renderChart(variants['everything off'] ?? {}))).toEqual(least);
  });

  it('gives every object a name of its own in its kind, also for the longest release name', () => {
    const names = renderChart(variants['everything on'] ?? {}, 'r'.repeat(53)).map(
      ({ kind, metadata }) => `${kind} ${metadata.name}`,
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => (name.split(' ')[1] ?? '').length > 63)).toEqual([]);
  });

  it.each<[string, Values, RegExp]>([
    ['no address', { applicationUrl: '' }, /applicationUrl/],
    ['an http address', { applicationUrl: 'http://credentials.example.org' }, /applicationUrl/],
    ['no image', { image: { repository: '' } }, /repository/],
    ['the tag latest', { image: { tag: 'latest' } }, /tag/],
    ['no Secret', { secret: { name: '' } }, /secret\/name/],
    ['a value that does not exist', { replicaCount: 3 }, /additional properties/],
    ['a secret as a setting', { settings: { SERVICE__MANAGEMENT__API_KEYS: 'k' } }, /settings/],
    ['a connection string as a setting', { settings: { SERVICE__EVENT_STORE__CONNECTION_STRING: 'x' } }, /settings/],
    ['a port that the Services do not know', { settings: { SERVICE__HTTP__PORT: '80' } }, /settings/],
    ['an Ingress without TLS', { ingress: { enabled: true, host: 'a.example' } }, /tlsSecretName/],
    [
      'an Ingress whose clients cannot be told apart',
      { ingress: { enabled: true, host: 'a.example', tlsSecretName: 'tls' } },
      /TRUSTED_PROXIES/,
    ],
    [
      'a monitor of metrics that are off',
      { metrics: { enabled: false, serviceMonitor: { enabled: true } } },
      /metrics/,
    ],
    ['a policy that lets everybody in', { networkPolicy: { managementFrom: [] } }, /managementFrom/],
  ])('refuses %s', (_, values, reason) => {
    const merged: Record<string, unknown> = { ...requiredValues };
    for (const [name, value] of Object.entries(values)) {
      const known = merged[name];
      merged[name] = typeof known === 'object' && typeof value === 'object' ? { ...known, ...value } : value;
    }
    expect(() => renderChart(merged)).toThrow(reason);
  });

  it('takes no secret as a value', () => {
    const secrets = describeSettings(Settings).filter(({ secret }) => secret === true);
    expect(secrets.length).toBeGreaterThanOrEqual(3);
    for (const { name } of secrets) {
      expect(() => renderChart({ ...requiredValues, settings: { [name]: 'x' } })).toThrow(/settings/);
    }
  });

  it('is checked for members that Kubernetes does not know', () => {
    const [deployment] = renderChart(requiredValues).filter(({ kind }) => kind === 'Deployment');
    const misspelt = JSON.parse(
      JSON.stringify(deployment).replace('"readOnlyRootFilesystem"', '"readOnlyRootFs"'),
    ) as Manifest;
    expect(faultsOf(misspelt)).toEqual([
      '/spec/template/spec/containers/0/securityContext/readOnlyRootFs is unknown to apps/v1 Deployment',
    ]);
    const mistyped = JSON.parse(JSON.stringify(deployment).replace('"replicas":2', '"replicas":"2"')) as Manifest;
    expect(faultsOf(mistyped)).toEqual(['data/spec/replicas must be integer']);
  });
});

const helmIsHere = spawnSync('helm', ['version']).status === 0;
const withHelm = helmIsHere ? describe : describe.skip;

withHelm(`Helm itself${helmIsHere ? '' : ' (skipped: there is no helm on the PATH)'}`, () => {
  const helm = (values: Values, ...words: string[]): string =>
    execFileSync('helm', [...words, chartDirectory, '--values', '-'], {
      encoding: 'utf8',
      input: JSON.stringify(values),
    });

  it.each(Object.entries(variants))('makes the same of the chart as these tests do (%s)', (_, values) => {
    const text = helm(values, 'template', '--kube-version', '1.31.0', 'sealwright');
    const order = (manifests: Manifest[]): Manifest[] =>
      manifests.sort((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));
    expect(order(readManifests(text))).toEqual(order(renderChart(values)));
    helm(values, 'lint', '--strict');
  });
});
